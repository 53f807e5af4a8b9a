/**
 * A separate listener for scrapers: `/metrics`, without credentials, and nothing else (specification 20.6). Off unless
 * a setting names its port.
 */

import { formatAddress } from '../../base/host.ts'
import { createServer } from '../../base/node-http.ts'
import { setTimeout } from '../../base/timers.ts'
import type { SharedListener } from '../../model/shared-listener.ts'
import { parseUrl } from '../../model/uri/target.ts'
import type { Settings } from '../../settings.ts'
import { explainPort } from '../../terminal/explain-failure.ts'

/** @param accept of the request */
export type Scrape = (accept: string | undefined) => { readonly type: string; readonly text: string }

export interface MetricsListener {
  readonly url: string
  close(): Promise<void>
}

export interface MetricsListenerOptions {
  readonly host: string
  readonly port: number
  readonly scrape: Scrape
  /** The successor process listens at the same port before this one stops. */
  readonly sharesPort?: boolean | undefined
}

export function findListener({ metrics: { isOn, host, port } }: Settings): SharedListener | undefined {
  if (!isOn || port === undefined) return undefined
  const explain = (error: unknown) =>
    `the metrics listener is not available: ${explainPort(error, port)}. Choose another port with ig.metrics.port=<n>, or switch it off with ig.metrics.port=off`
  return { host, port, variable: 'IG_METRICS_PORT', missing: 'metricsMissing', explain }
}

/** Rejects with the system's error if the address is not available. */
export async function openMetricsListener(options: MetricsListenerOptions): Promise<MetricsListener> {
  const { host, port, scrape, sharesPort = false } = options
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 30_000 },
    (request, response) => {
      const head = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
      const isKnown = isScrape(request.url ?? '')
      if (!isKnown || (request.method !== 'GET' && request.method !== 'HEAD')) {
        response.writeHead(isKnown ? 405 : 404, { ...head, ...(isKnown && { allow: 'GET, HEAD' }) }).end()
        return
      }
      const { type, text } = scrape(request.headers.accept)
      response.writeHead(200, { ...head, 'content-type': type, 'content-length': Buffer.byteLength(text) })
      response.end(request.method === 'HEAD' ? undefined : text)
    },
  )
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen({ host, port, reusePort: sharesPort }, resolve)
  await promise
  server.off('error', reject)
  return {
    url: `http://${formatAddress(host, server)}/metrics`,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 1000).unref()
      }),
  }
}

function isScrape(target: string): boolean {
  try {
    return parseUrl(target).rawPath === '/metrics'
  } catch {
    return false
  }
}
