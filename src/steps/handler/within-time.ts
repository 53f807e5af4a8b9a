/** The time limit of a handler, and its end if the client disconnects or the gateway stops (specification 2.31, 5.4, 5.5). */

import { setTimeout } from '../../base/timers.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { Operation } from '../../model/operation.ts'
import { Refusal } from '../../model/refusal.ts'
import type { Limits } from '../../settings.ts'
import type { CallContext } from './context.ts'
import { ClientLeft, HandlerTimeout } from './failure.ts'

export interface TimeLimit {
  readonly milliseconds: number
  /** The reason of the abort. */
  exceeded(): Error
}

/** A late or abandoned handler is aborted, and its result ignored. Its time begins when the body has arrived. */
export async function withinTime<T>(
  request: Pick<SpooledRequest, 'clientSignal' | 'received'>,
  context: Pick<CallContext, 'abort'>,
  { milliseconds, exceeded }: TimeLimit,
  result: T | Promise<T>,
): Promise<T> {
  if (typeof Object(result).then !== 'function') return result // most handlers do not wait, and a timer takes a fifth of their call
  const { clientSignal, received } = request
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const giveUp = (reason: Error) => {
    context.abort(reason)
    reject(reason)
  }
  const onLeave = () => giveUp(explainAbort(clientSignal.reason))
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const begin = () => {
    if (!isOver) timer = setTimeout(() => giveUp(exceeded()), milliseconds)
  }
  if (received) void received.then(begin)
  else begin()
  clientSignal.addEventListener('abort', onLeave)
  if (clientSignal.aborted) onLeave()
  try {
    return await Promise.race([result, ended])
  } finally {
    isOver = true
    clearTimeout(timer)
    clientSignal.removeEventListener('abort', onLeave)
  }
}

export function handlerTimeLimit(operation: Operation, limits: Limits): TimeLimit {
  const milliseconds = timeLimitOf(operation, limits)
  return {
    milliseconds,
    exceeded: () => new HandlerTimeout(`The handler exceeded its time of ${milliseconds} ms.`),
  }
}

/** Milliseconds. */
export function timeLimitOf({ timeout }: Operation, { handlerTimeout }: Limits): number {
  return Math.min(timeout ?? handlerTimeout, handlerTimeout)
}

/** A refusal if the gateway itself ends the call, as a stop does. */
export function explainAbort(reason: unknown): Error {
  return reason instanceof Refusal ? reason : new ClientLeft('The client left.')
}
