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

/** A handler that answers synchronously costs no timer. A late or abandoned one is aborted, and its result ignored. */
export async function withinTime<T>(
  request: SpooledRequest,
  context: CallContext,
  { milliseconds, exceeded }: TimeLimit,
  result: T | Promise<T>,
): Promise<T> {
  if (!isPromise(result)) return result
  const { clientSignal } = request // reading it creates it, which takes 2 µs
  return new Promise<T>((resolve, reject) => {
    const end = () => {
      isOver = true
      clearTimeout(timer)
      clientSignal.removeEventListener('abort', onLeave)
    }
    const giveUp = (reason: Error) => {
      end()
      context.abort(reason)
      reject(reason)
    }
    const onLeave = () => giveUp(explainAbort(clientSignal.reason))
    const onTimeout = () => giveUp(exceeded())
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const begin = () => {
      if (!isOver) timer = setTimeout(onTimeout, milliseconds)
    }
    if (request.received) request.received.then(begin)
    else begin()
    clientSignal.addEventListener('abort', onLeave)
    if (clientSignal.aborted) onLeave()
    Promise.resolve(result).finally(end).then(resolve, reject)
  })
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
function explainAbort(reason: unknown): Error {
  return reason instanceof Refusal ? reason : new ClientLeft('The client left.')
}

function isPromise<T>(result: T | Promise<T>): result is Promise<T> {
  return typeof (result as Promise<T> | undefined)?.then === 'function'
}
