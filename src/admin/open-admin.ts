/**
 * The listener of the administration plane (specification 18.1 to 18.4): open from the start, while everything behind
 * it is loaded by the first request, so that serving calls neither waits for it nor pays for it.
 */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { isLoopback } from '../model/loopback.ts'
import type { OpenAdminOptions } from './parts.ts'

export interface OpenAdmin {
  readonly url: string
  /** What serves the requests; loads it where no request has. */
  app(): Promise<FastifyInstance>
  /** Ends idle connections at once, and those at work when they are done. */
  close(): Promise<void>
}

/** Rejects with the system's error where the address cannot be had, or the certificate is none. */
export async function openAdmin(options: OpenAdminOptions): Promise<OpenAdmin> {
  const { host, port, tls } = options.admin
  if (!tls && !isLoopback(host))
    throw new Error(`Administration on ${host} needs ig.admin.tls.cert and ig.admin.tls.key`)
  let opening: Promise<FastifyInstance> | undefined
  const app = () => {
    opening ??= load(options, (server.address() as AddressInfo).port)
    return opening
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    app().then(
      (opened) => opened.routing(request, response),
      (error) => {
        opening = undefined
        const message = 'Administration could not be loaded.'
        options.observe({ kind: 'event', level: 'exception', name: 'administrationFailed', message, error })
        response.writeHead(500).end()
      },
    )
  }
  const limits = { maxHeaderSize: 32 * 1024, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 30_000 }
  const server = tls
    ? createSecureServer({ ...limits, ...(await readCertificate(tls)) }, onRequest)
    : createServer(limits, onRequest)
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject).listen(port, host, listening.resolve)
  await listening.promise
  server.off('error', listening.reject)

  const { port: actualPort } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `${tls ? 'https' : 'http'}://${name}:${actualPort}`,
    app,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await closed
      await (await opening)?.close()
    },
  }
}

async function load(options: OpenAdminOptions, port: number): Promise<FastifyInstance> {
  const { openApp } = await import('./app.ts')
  return openApp(options, port, namesOf(options.admin.host, port))
}

function namesOf(host: string, port: number): ReadonlySet<string> | undefined {
  if (!isLoopback(host)) return undefined
  const names = [host.includes(':') ? `[${host}]` : host, '127.0.0.1', 'localhost', '[::1]']
  return new Set(names.map((name) => `${name}:${port}`))
}

async function readCertificate({ cert, key }: { readonly cert: string; readonly key: string }) {
  const [certificate, privateKey] = await Promise.all([readFile(cert), readFile(key)])
  return { cert: certificate, key: privateKey }
}
