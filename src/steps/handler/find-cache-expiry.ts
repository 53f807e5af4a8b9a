/** Until when the response of a handler is cached, and what may be wrong with that (specification 6.1, 6.3, 6.14). */
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { FilledResponse } from '../../model/content/response-message.ts'
import type { Operation } from '../../model/operation.ts'
import type { Transaction } from '../../model/transaction.ts'
import type { CallContext, HandlerParts } from './context.ts'

interface CachedRun {
  readonly request: SpooledRequest
  readonly operation: Operation
  readonly transaction: Transaction
  readonly gateway: Pick<HandlerParts, 'observe' | 'now'>
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
  if (response.headers.some((name, index) => index % 2 === 0 && name === 'set-cookie')) return undefined
  if ((context.readIdentity || request.readIdentity) && operation.cacheKeyPolicy === undefined) {
    const message =
      `The handler of ${operation.id} read the caller's identity and made its response cacheable: ` +
      'other operators may receive it. Set cacheKeyPolicy to `shared` or `perOperator`.'
    gateway.observe({ kind: 'note', level: 'warning', transaction, message })
  }
  if (request.readPreference !== undefined) {
    const message =
      `The handler of ${operation.id} read ${request.readPreference} and made its response cacheable: requests that ` +
      'prefer another one may receive it. Add the header to cacheVary of the operation.'
    gateway.observe({ kind: 'note', level: 'warning', transaction, message })
  }
  return cacheExpires
}
