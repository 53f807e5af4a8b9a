/** What happens to a call, top to bottom (specification 3). */
import type { Call, Reply } from './model/call.ts'
import type { Catalog } from './model/catalog.ts'
import type { ServerDescription } from './model/handler.ts'
import type { MemoryBudget } from './model/memory-budget.ts'
import type { Observe } from './model/observation.ts'
import type { Operator } from './model/operator.ts'
import type { Traces } from './model/trace.ts'
import type { Settings } from './settings.ts'
import { authenticate, type Credentials } from './steps/authenticate.ts'
import { beginTransaction } from './steps/begin-transaction.ts'
import { bindUri } from './steps/bind-uri.ts'
import { asksForDescription, describeApi } from './steps/describe-api.ts'
import { describeMethods } from './steps/describe-methods.ts'
import { findOperation } from './steps/find-operation.ts'
import { answerHealthCheck, type Condition } from './steps/health.ts'
import { readMessage } from './steps/read-message.ts'
import { readTarget } from './steps/read-target.ts'
import { requirePermission } from './steps/require-permission.ts'
import { type RestCache, recallResponse, rememberResponse } from './steps/rest-cache.ts'
import { runHandler } from './steps/run-handler.ts'
import { asRefusal, writeRefusal } from './steps/write-refusal.ts'
import { writeReply } from './steps/write-reply.ts'
import type { Store } from './store/store.ts'

export interface Gateway {
  readonly settings: Settings
  /** Swapped by one assignment when a revision is activated. */
  catalog: Catalog
  /** Every operator of the store, kept current by the change feed; a changed operator is a new object. */
  readonly operators: ReadonlyMap<string, Operator>
  readonly store: Store
  readonly credentials: Credentials
  readonly restCache: RestCache
  readonly server: ServerDescription
  readonly observe: Observe
  readonly condition: Condition
  readonly memory: MemoryBudget
  /** Undefined where no call is traced. */
  readonly tracing?: Traces | undefined
  /** Epoch milliseconds with a fraction down to microseconds. */
  now(): number
}

export async function answer(call: Call, gateway: Gateway): Promise<Reply> {
  const transaction = beginTransaction(call, gateway)
  try {
    const health = answerHealthCheck(call, gateway)
    if (health) return writeReply(health, call, transaction, gateway)

    const catalog = gateway.catalog // one configuration for the whole call
    if (asksForDescription(call, gateway))
      return writeReply(await describeApi(call, transaction, catalog, gateway), call, transaction, gateway)

    const target = (transaction.target = readTarget(call, catalog, gateway))
    transaction.trace?.pass('target')
    if (call.method === 'OPTIONS')
      return writeReply(describeMethods(target, catalog, gateway), call, transaction, gateway)

    const operation = (transaction.operation = findOperation(target, call.method, catalog, gateway))
    transaction.trace?.pass('operation')
    const known = authenticate(call, operation, catalog, gateway) // what is known is not waited for: decisions D-130
    const operator = (transaction.operator = known instanceof Promise ? await known : known)
    transaction.trace?.pass('authenticate')
    requirePermission(operator, operation)
    transaction.trace?.pass('permission')
    const uri = (transaction.uri = bindUri(target, operation))
    transaction.trace?.pass('bind')

    const recalled = recallResponse(target, operation, operator, gateway)
    const cached = recalled instanceof Promise ? await recalled : recalled
    transaction.isCached = cached !== undefined
    transaction.trace?.pass('cache')
    if (cached) return writeReply(cached, call, transaction, gateway)

    const read = readMessage(call, operation, uri, transaction, gateway)
    const request = read instanceof Promise ? await read : read
    transaction.trace?.pass('message')
    const remembered = rememberResponse(call, target, operation, operator, gateway, () =>
      runHandler(request, operation, operator, transaction, catalog, gateway),
    )
    const response = remembered instanceof Promise ? await remembered : remembered
    transaction.trace?.pass('handler')
    return writeReply(response, call, transaction, gateway)
  } catch (error) {
    return writeRefusal(asRefusal(error), call, transaction, gateway)
  }
}
