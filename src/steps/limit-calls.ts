/**
 * The limits of a call (specification 25): by address before authentication, so that a call over them costs no
 * verification; by operator and the others after it; places around the handler.
 */
import type { Call, OperationResponse } from '../model/call.ts'
import type { SpooledRequest } from '../model/content/request-message.ts'
import type { Limit } from '../model/limit.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import type { OpenTransaction } from '../model/transaction.ts'
import type { Settings } from '../settings.ts'
import { timeLimitOf } from './handler/within-time.ts'
import type { Limits } from './limits/limits.ts'
import type { Places } from './limits/places.ts'

export type { Limits } from './limits/limits.ts'

interface Parts {
  readonly limits: Limits
}

type Run = () => OperationResponse | Promise<OperationResponse>

export function limitAddress(call: Call, operation: Operation, transaction: OpenTransaction, { limits }: Parts): void {
  if (operation.limits === undefined || operation.limits.ofAddress.length === 0) return
  const caller = { operationId: operation.id, address: call.remoteAddress, operatorId: undefined }
  limits.admit(operation.limits.ofAddress, caller, transaction)
}

export function limitOperator(
  call: Call,
  operation: Operation,
  operator: Operator,
  transaction: OpenTransaction,
  { limits }: Parts,
): void {
  if (operation.limits === undefined || operation.limits.ofOperator.length === 0) return
  const caller = { operationId: operation.id, address: call.remoteAddress, operatorId: operator.id }
  limits.admit(operation.limits.ofOperator, caller, transaction)
}

/** @returns `run` itself, or one that waits for a place before it, and holds it until the response is complete */
export function inPlace(
  run: Run,
  call: Pick<Call, 'signal'>,
  request: Pick<SpooledRequest, 'close'>,
  operation: Operation,
  operator: Operator,
  { limits, settings }: Parts & { readonly settings: Pick<Settings, 'limits'> },
): Run {
  const needed = operation.limits?.ofHandler
  if (needed === undefined || needed.length === 0) return run
  const places = needed
    .filter((limit) => isOf(limit, operator))
    .map((limit) => ({ limit, place: limits.placesOf(limit, operation.id) }))
  const wait = timeLimitOf(operation, settings.limits)
  return async () => {
    const taken: Places[] = []
    const leave = () => {
      for (const place of taken.splice(0)) place.leave()
    }
    try {
      for (const { limit, place } of places) {
        if ((await place.take(operator.id, call.signal, wait)) === false) {
          if (!call.signal.aborted) limits.countRefused(limit) // its client has not left the queue
          await request.close()
          throw new Refusal('overloaded', `${limit.name}: ${limit.text} and ${limit.queue} waiting, all taken`)
        }
        taken.push(place)
      }
      const response = await run()
      const { stream } = response.body
      if (!stream) return response
      const held = taken.splice(0)
      void stream.ended.then(() => {
        for (const place of held) place.leave()
      })
      return response
    } finally {
      leave()
    }
  }
}

function isOf({ operators, exceptOperators }: Limit, { id }: Operator): boolean {
  return operators?.has(id) !== false && exceptOperators?.has(id) !== true
}
