/** The health check of load balancers and container platforms (specification 1.11). */
import type { Call, OperationResponse } from '../model/call.ts'
import { parseUrl } from '../model/target.ts'

/** @throws Refusal uriMalformed, as for any other target */
export function isHealthCheck({ method, target }: Pick<Call, 'method' | 'target'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return target.includes('/healthz') && parseUrl(target).rawPath === '/healthz'
}

export const healthy: OperationResponse = {
  status: 200,
  headers: ['content-type', 'text/plain; charset=UTF-8', 'cache-control', 'no-store'],
  body: { bytes: Buffer.from('OK\n') },
}
