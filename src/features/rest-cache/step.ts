/** Whether a GET is answered from the REST cache, and whether its response is kept there (specification 6). */
import type { Call, OperationResponse } from '../../model/call.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import type { Target } from '../../model/uri/target.ts'
import type { Settings } from '../../settings.ts'
import type { RunHandler } from '../../steps/handler/run.ts'
import { cacheKey } from './cache-key.ts'
import type { RestCache } from './rest-cache.ts'

/** What calls, administration and metrics do with the cache. */
export type Cache = Omit<RestCache, 'follow' | 'reset' | 'flush'>

interface Parts {
  readonly restCache: Cache
  readonly settings: Pick<Settings, 'cacheStrict'>
}

/** The unexpired cached response of an identical path and query string, if there is one. */
export async function recallResponse(
  call: Pick<Call, 'headers'>,
  target: Target,
  operation: Operation,
  operator: Operator,
  { restCache, settings }: Parts,
): Promise<OperationResponse | undefined> {
  if (operation.method !== 'GET' || !restCache.knows(operation.id)) return undefined
  return restCache.find(cacheKey(call, target, operation, operator, settings), operation.id)
}

/** Runs the handler, and caches its response on request. */
export async function runAndRemember(
  call: Pick<Call, 'method' | 'headers'>,
  target: Target,
  operation: Operation,
  operator: Operator,
  { restCache, settings }: Parts,
  run: RunHandler,
): Promise<OperationResponse> {
  if (call.method !== 'GET' || operation.method !== 'GET') return run() // a HEAD answered from GET only reads
  return restCache.answer(cacheKey(call, target, operation, operator, settings), operation.id, run)
}
