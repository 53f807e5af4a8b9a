/**
 * The limits of a call (specification 25): by address before authentication, so that a call over them costs no
 * verification; by operator and the others after it; slots for handlers around the handler. And the refusal of calls that
 * would wait too long for the processor (25.13): the newest.
 */
import type { Call, ReplyStream } from '../../model/call.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { Limit } from '../../model/limit.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import type { RateLimitStatus } from '../../model/rate-limit-status.ts'
import { Refusal, refusedBy } from '../../model/refusal.ts'
import type { OpenTransaction } from '../../model/transaction.ts'
import type { Settings } from '../../settings.ts'
import type { RunHandler } from '../../steps/handler/run.ts'
import { timeLimitOf } from '../../steps/handler/within-time.ts'
import type { CallLimits } from './limits.ts'
import type { Slots } from './slots.ts'

export type { CallLimits } from './limits.ts'

interface Parts {
  readonly limits: CallLimits
}

/** Counts the call as at work until its end. @throws Refusal overloaded */
export function admitOrShed(transaction: Pick<OpenTransaction, 'releases'>, { limits: { load } }: Parts): void {
  load.atWork += 1
  transaction.releases.push(() => {
    load.atWork -= 1
  })
  load.requireTime()
}

/** @returns what the call has got of its limits */
export function limitAddress(
  call: Call,
  operation: Operation,
  { releases }: OpenTransaction,
  { limits }: Parts,
): RateLimitStatus | undefined {
  if (operation.limits === undefined || operation.limits.ofAddress.length === 0) return undefined
  const caller = { operationId: operation.id, address: call.remoteAddress, operatorId: undefined }
  return limits.admit(operation.limits.ofAddress, caller, releases)
}

export function limitOperator(
  call: Call,
  operation: Operation,
  operator: Operator,
  byAddress: RateLimitStatus | undefined,
  { releases }: OpenTransaction,
  { limits }: Parts,
): RateLimitStatus | undefined {
  if (operation.limits === undefined || operation.limits.ofOperator.length === 0) return byAddress
  const caller = { operationId: operation.id, address: call.remoteAddress, operatorId: operator.id }
  return limits.admit(operation.limits.ofOperator, caller, releases, byAddress)
}

/** @returns `run`, preceded by a wait for the slots that it needs; they are released when the response is complete */
export function withSlot(
  run: RunHandler,
  call: Pick<Call, 'signal'>,
  request: Pick<SpooledRequest, 'close'>,
  operation: Operation,
  operator: Operator,
  { limits, settings }: Parts & { readonly settings: Pick<Settings, 'limits'> },
): RunHandler {
  const needed = operation.limits?.ofHandler
  if (needed === undefined || needed.length === 0) return run
  const wanted = needed
    .filter((limit) => isOf(limit, operator))
    .map((limit) => ({ limit, slots: limits.slotsOf(limit, operation.id) }))
  const wait = timeLimitOf(operation, settings.limits)
  return async (storeInTransaction) => {
    const held: Slots[] = []
    const release = () => {
      for (const slots of held) slots.release()
    }
    let stream: ReplyStream | undefined
    try {
      for (const { limit, slots } of wanted) {
        if (!(await slots.acquire(operator.id, call.signal, wait))) {
          if (!call.signal.aborted) limits.countRefused(limit) // a client that left is not refused
          await request.close()
          const reason = `${limit.name}: ${limit.text} and ${limit.queue} waiting, all taken`
          throw refusedBy('limits', new Refusal('overloaded', reason))
        }
        held.push(slots)
      }
      const response = await run(storeInTransaction)
      stream = response.body.stream
      return response
    } finally {
      if (stream) void stream.ended.then(release)
      else release()
    }
  }
}

function isOf({ operators, exceptOperators }: Limit, { id }: Operator): boolean {
  return operators?.has(id) !== false && exceptOperators?.has(id) !== true
}
