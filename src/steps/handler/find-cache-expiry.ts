/** Until when the response of a handler is cached, and what may be wrong with that (specification 6.1, 6.9). */
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { FilledResponse } from '../../model/content/response-message.ts'
import type { Operation } from '../../model/operation.ts'
import { adviseCacheKey } from '../../model/operation-terms.ts'
import type { Transaction } from '../../model/transaction.ts'
import type { CallContext, HandlerDependencies } from './context.ts'

interface CachedRun {
  readonly request: SpooledRequest
  readonly operation: Operation
  readonly transaction: Transaction
  readonly gateway: Pick<HandlerDependencies, 'settings' | 'observe' | 'shared' | 'now'>
}

/** Undefined if it is not cached. */
export function findCacheExpiry(
  { request, operation, transaction, gateway }: CachedRun,
  context: CallContext,
  response: FilledResponse,
) {
  const { cacheExpires, isNotModified } = response
  if (cacheExpires === undefined || isNotModified || operation.method !== 'GET' || cacheExpires <= gateway.now())
    return undefined
  if (request.body.size > 0) return undefined // no part of the cache key
  if (response.headers.some((name, index) => index % 2 === 0 && name === 'set-cookie')) return undefined
  const read = [...(request.unkeyedHeaders ?? []), ...(context.readIdentity ? ["the caller's identity"] : [])]
  if (read.length === 0 || operation.cacheKeyPolicy !== undefined) return cacheExpires
  const isStrict = gateway.settings.cacheStrict
  if (gateway.shared.isFirst(operation, 'cache key')) {
    const outcome = isStrict
      ? 'it is not cached (ig.cache.strict)'
      : 'callers that differ in it receive the same response'
    const message =
      `The handler of ${operation.id} read ${read.join(', ')} and made its response cacheable: the cache key does not ` +
      `contain it, so ${outcome}. ${adviseCacheKey(read)}.`
    gateway.observe({ kind: 'note', level: 'warning', transaction, message })
  }
  return isStrict ? undefined : cacheExpires
}
