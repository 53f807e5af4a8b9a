/** What happens to a call, top to bottom (specification 3). */

import type { Catalog } from './configuration/catalog.ts'
import { type IdempotentCalls, readIdempotencyKey, runIdempotently } from './features/idempotency/step.ts'
import { admitOrShed, type CallLimits, limitAddress, limitOperator, withSlot } from './features/limits/step.ts'
import { type Cache, recallResponse, runAndRemember } from './features/rest-cache/step.ts'
import type { Call, OperationResponse, Reply } from './model/call.ts'
import type { ServerDescription } from './model/handler.ts'
import type { MemoryBudget } from './model/memory-budget.ts'
import type { Observe } from './model/observation.ts'
import type { Operator } from './model/operator.ts'
import type { Traces } from './model/trace.ts'
import type { OpenTransaction } from './model/transaction.ts'
import type { Settings } from './settings.ts'
import { answerBuiltIn } from './steps/answer-built-in.ts'
import { answerConditionally } from './steps/answer-conditionally.ts'
import { type AuthenticationParts, authenticate } from './steps/authenticate.ts'
import { beginTransaction } from './steps/begin-transaction.ts'
import { bindUri } from './steps/bind-uri.ts'
import { asRefusal, buildRefusal } from './steps/build-refusal.ts'
import { buildReply } from './steps/build-reply.ts'
import type { Condition } from './steps/built-in/health.ts'
import { describeMethods } from './steps/describe-methods.ts'
import { findOperation } from './steps/find-operation.ts'
import type { MakeStoreStatement } from './steps/handler/run.ts'
import type { SharedParts } from './steps/handler/shared-parts.ts'
import { readMessage } from './steps/read-message.ts'
import { readTarget, type TargetParts } from './steps/read-target.ts'
import { requireAllowedOrigin } from './steps/require-allowed-origin.ts'
import { requirePermission } from './steps/require-permission.ts'
import { runHandler } from './steps/run-handler.ts'
import type { Store } from './store/store.ts'

export interface Gateway {
  readonly settings: Settings
  catalog: Catalog // swapped by one assignment when a revision is activated
  /** Every operator of the store, kept current by the change feed; a changed operator is a new object. */
  readonly operators: ReadonlyMap<string, Operator>
  readonly store: Store
  readonly verifiers: AuthenticationParts['verifiers']
  readonly restCache: Cache
  readonly limits: CallLimits
  readonly idempotency: IdempotentCalls
  readonly server: ServerDescription
  readonly shared: SharedParts
  readonly observe: Observe
  readonly condition: Condition
  readonly targets: TargetParts['targets']
  readonly memory: MemoryBudget
  readonly tracing?: Traces | undefined
  now(): number
}

export async function answer(call: Call, gateway: Gateway): Promise<Reply> {
  const transaction = beginTransaction(call, gateway)
  try {
    return buildReply(await respond(call, transaction, gateway), call, transaction, gateway)
  } catch (error) {
    return buildRefusal(asRefusal(error), call, transaction, gateway)
  }
}

/** A step returns its value or throws a refusal. `endStep` has the name of the step that `ig explain` and the monitor show. */
export async function respond(call: Call, transaction: OpenTransaction, gateway: Gateway): Promise<OperationResponse> {
  const catalog = gateway.catalog // one configuration for the whole call
  const target = transaction.endStep('target', readTarget(call, catalog, gateway))
  if (target.kind !== 'operation') return answerBuiltIn(target, call, transaction, catalog, gateway)
  if (call.method === 'OPTIONS') return describeMethods(target, call, catalog, gateway)
  const operation = transaction.endStep('operation', findOperation(target, call.method, catalog, gateway))
  admitOrShed(transaction, gateway)
  transaction.endStep('origin', requireAllowedOrigin(call, operation, gateway))
  const byAddress = limitAddress(call, operation, transaction, gateway)
  transaction.rateLimit = byAddress // also of a call that the next step refuses
  const operator = transaction.endStep('authentication', await authenticate(call, operation, catalog, gateway))
  transaction.endStep('limits', limitOperator(call, operation, operator, byAddress, transaction, gateway))
  transaction.endStep('permission', requirePermission(operator, operation))
  const uri = transaction.endStep('uri', bindUri(target, operation))
  const cached = transaction.endStep('cache', await recallResponse(call, target, operation, operator, gateway))
  if (cached) return answerConditionally(cached, call)
  const key = transaction.endStep('idempotency', readIdempotencyKey(call, operation, operator))
  const request = transaction.endStep('message', await readMessage(call, target, operation, uri, transaction, gateway))
  const run = (storeInTransaction?: MakeStoreStatement) =>
    runHandler(request, operation, operator, transaction, catalog, gateway, storeInTransaction)
  const runWithSlot = withSlot(run, call, request, operation, operator, gateway)
  const response = key
    ? await runIdempotently(key, request, gateway, runWithSlot)
    : await runAndRemember(call, target, operation, operator, gateway, runWithSlot)
  return transaction.endStep('handler', answerConditionally(response, call))
}
