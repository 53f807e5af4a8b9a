/** The health checks of load balancers and container platforms (specification 1.11, 20.11). */
import type { Call, OperationResponse } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import { parseUrl } from '../model/target.ts'

/** How a process is, as far as its calls are concerned. */
export interface Condition {
  /** Epoch milliseconds: the store was last read. */
  storeRead: number
  /** The last look at it failed. */
  isStoreAway: boolean
  /** Calls under way finish, and no more are wanted. */
  isStopping: boolean
}

interface Parts {
  readonly catalog: Pick<Catalog, 'revision'>
  readonly condition: Condition
  now(): number
}

const uncached = ['cache-control', 'no-store']

/** Milliseconds since the store was last read; it is looked at four times a second or more. */
export const staleAfter = 5_000

/** @returns undefined where none is asked for @throws Refusal uriMalformed, as for any other target */
export function answerHealthCheck(call: Pick<Call, 'method' | 'target'>, parts: Parts): OperationResponse | undefined {
  const check = findHealthCheck(call)
  if (check === undefined) return undefined
  return check === '/healthz' ? healthy : describeReadiness(parts)
}

export function isHealthCheck(call: Pick<Call, 'method' | 'target'>): boolean {
  return findHealthCheck(call) !== undefined
}

function findHealthCheck({ method, target }: Pick<Call, 'method' | 'target'>): '/healthz' | '/readyz' | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (!target.includes('/healthz') && !target.includes('/readyz')) return undefined
  const { rawPath } = parseUrl(target)
  return rawPath === '/healthz' || rawPath === '/readyz' ? rawPath : undefined
}

export function isStale({ storeRead, isStoreAway }: Condition, now: number): boolean {
  return isStoreAway || now - storeRead > staleAfter
}

export const healthy: OperationResponse = {
  status: 200,
  headers: ['content-type', 'text/plain; charset=UTF-8', ...uncached],
  body: { bytes: Buffer.from('OK\n') },
}

/** With a stale store it is ready: calls are answered with what is known. */
function describeReadiness({ catalog, condition, now }: Parts): OperationResponse {
  const { isStopping, storeRead } = condition
  const time = now()
  const facts = {
    status: isStopping ? 'stopping' : 'ready',
    revision: catalog.revision ?? null,
    store: isStale(condition, time) ? 'stale' : 'current',
    storeAgeSeconds: Math.max(0, Math.round((time - storeRead) / 100) / 10),
  }
  return {
    status: isStopping ? 503 : 200,
    headers: ['content-type', 'application/json', ...uncached],
    body: { bytes: Buffer.from(`${JSON.stringify(facts)}\n`) },
  }
}
