/**
 * The listener of the administration plane (specification 18.1 to 18.4). It opens at startup and loads the application
 * on the first request, so that serving calls does not depend on it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createListener, type ListenOptions, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AdminProblem, type ProblemCode } from '../actions/problem-details.ts'
import { isLoopback } from '../base/loopback.ts'
import { createServer } from '../base/node-http.ts'
import { nodeHttps } from '../base/node-tls.ts'
import type { AdminSettings } from '../settings.ts'
import { followCertificate, readCertificate } from '../tls/certificate.ts'
import { type LoginThrottle, openLoginThrottle } from '../verification/login-throttle.ts'
import { adminUrl } from './admin-url.ts'
import { followConnections } from './follow-connections.ts'
import { limitAdminConnections } from './limit-admin-connections.ts'
import type { OpenAdminOptions } from './parts.ts'

export interface AdminServer {
  readonly url: string
  /** The application; loads it unless a request has. */
  app(): Promise<FastifyInstance>
  /** Closes idle connections immediately, and others after their request or the grace period. */
  close(): Promise<void>
}

/** Rejects with the system's error if the address is not available or the certificate is invalid. */
export async function openAdminServer(options: OpenAdminOptions): Promise<AdminServer> {
  const { admin, source, sharesPort = false } = options
  const { host, port, tls } = admin
  if (!tls && !isLoopback(host))
    throw new Error(`Administration on ${host} needs ig.admin.tls.cert and ig.admin.tls.key`)
  const loginThrottle = openLoginThrottle({
    maxDelay: options.settings.limits.guessDelay,
    isWrong: isWrongSecret,
  })
  let opening: Promise<FastifyInstance> | undefined
  const app = () => {
    opening ??= load({ ...options, loginThrottle }, portOf(url))
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
  const { server, unfollow } = await openServer(options, onRequest)
  server.emit('listening') // node:http starts to enforce its time limits
  // A listener of its own, because the close of node:http cuts off responses that are written but not yet received
  const listener = createListener({ allowHalfOpen: !tls, noDelay: true }, (socket) => server.emit('connection', socket))
  if (!source) await listen(listener, { host, port, reusePort: sharesPort })
  const url = source?.url ?? urlOf(listener, options.admin)
  limitAdminConnections(server)
  const connections = followConnections({ listener, server, isSecure: tls !== undefined, source })
  return {
    url,
    app,
    async close() {
      unfollow()
      loginThrottle.endDelays()
      await connections.stop()
      await (await opening)?.close()
    },
  }
}

const defaultLimits = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 1000, // the default of 30 s would give a slow body a minute
}

async function openServer(options: OpenAdminOptions, onRequest: RequestListener) {
  const { admin, observe } = options
  const { tls } = admin
  const limits = { ...defaultLimits, ...options.limits }
  if (!tls) return { server: createServer(limits, onRequest), unfollow() {} }
  const read = await readCertificate(tls)
  const server = nodeHttps().createServer({ ...limits, handshakeTimeout: limits.headersTimeout, ...read }, onRequest)
  return { server, unfollow: followCertificate({ tls, read, server, observe }) }
}

const wrongSecrets: ReadonlySet<ProblemCode> = new Set([
  'credentialsRejected',
  'invitationRejected',
  'secondFactorRejected',
  'providerRejected',
  'accessDenied',
])

function isWrongSecret(error: unknown): boolean {
  return error instanceof AdminProblem && wrongSecrets.has(error.code)
}

async function listen(server: Server, place: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(place, resolve)
  await promise
  server.off('error', reject)
}

function urlOf(server: Server, admin: AdminSettings): string {
  return adminUrl(admin, (server.address() as AddressInfo).port)
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

async function load(
  options: OpenAdminOptions & { readonly loginThrottle: LoginThrottle },
  port: number,
): Promise<FastifyInstance> {
  const { openApp } = await import('./app.ts')
  return openApp(options, port, namesOf(options.admin.host, port))
}

function namesOf(host: string, port: number): ReadonlySet<string> | undefined {
  if (!isLoopback(host)) return undefined
  const names = [host.includes(':') ? `[${host}]` : host, '127.0.0.1', 'localhost', '[::1]']
  return new Set(names.map((name) => `${name}:${port}`))
}
