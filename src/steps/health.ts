/** The health check of load balancers and container platforms (specification 1.11). */
import type { Call, OperationResponse } from '../model/call.ts'
import { toOriginForm } from '../model/target.ts'

export function isHealthCheck({ method, target }: Pick<Call, 'method' | 'target'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const url = toOriginForm(target)
  return url === '/healthz' || url.startsWith('/healthz?')
}

export const healthy: OperationResponse = {
  status: 200,
  headers: ['content-type', 'text/plain; charset=UTF-8', 'cache-control', 'no-store'],
  body: { bytes: Buffer.from('OK\n') },
}
