/**
 * Limits how long administration waits for the store (specification 18.16): gives up a slow request if a trivial one
 * gets no response either. Calls have their own limits.
 */

import { AdminProblem } from '../actions/problem-details.ts'
import { setTimeout } from '../base/timers.ts'
import type { Store } from '../store/store.ts'

export interface StoreWatch {
  /** @throws AdminProblem `storeAway` within about three seconds if the store does not respond */
  ask<Found>(question: () => Promise<Found>): Promise<Found>
  answers(): Promise<boolean>
}

/** Milliseconds. A statement may take longer if the store responds. */
const slow = 1_000
/**
 * Milliseconds that the probe may take, at first and during an outage: long enough to reconnect, so that a store that
 * is back is noticed at once and the fallback of authentication ends (specification 18.8).
 */
const patience = { first: 2_000, known: 500 }

export function openStoreWatch({ revisions }: Pick<Store, 'revisions'>): StoreWatch {
  let isAway = false
  let asking: Promise<boolean> | undefined
  /** One probe for all waiting requests. */
  const probe = () => {
    asking ??= revisions
      .active()
      .then(
        () => true,
        () => false,
      )
      .then((isThere) => {
        asking = undefined
        isAway = !isThere
        return isThere
      })
    return asking
  }
  const answers = async () => {
    const { promise: late, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(resolve, isAway ? patience.known : patience.first, false)
    const isThere = await Promise.race([probe(), late])
    clearTimeout(timer)
    if (!isThere) isAway = true
    return isThere
  }
  return {
    answers,
    async ask(question) {
      if (isAway && !(await answers())) throw storeAway()
      const { promise: given, reject } = Promise.withResolvers<never>()
      let isOver = false
      const look = async () => {
        if (!(await answers())) reject(storeAway())
        else if (!isOver) timer = setTimeout(look, slow)
      }
      let timer = setTimeout(look, slow)
      try {
        return await Promise.race([question(), given])
      } finally {
        isOver = true
        clearTimeout(timer)
      }
    },
  }
}

/** Limits the time of every asynchronous method. */
export function watched<Part extends object>(part: Part, watch: Pick<StoreWatch, 'ask'>): Part {
  return new Proxy(part, {
    get(target, key) {
      const value = Reflect.get(target, key)
      if (typeof value !== 'function') return isObject(value) ? watched(value, watch) : value
      return (...given: unknown[]) => {
        const run = () => value.apply(target, given)
        return key === 'audited' ? watched(run(), watch) : watch.ask(run)
      }
    },
  })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function storeAway(cause?: unknown): AdminProblem {
  const detail =
    'Calls are still answered with the last known data. Your change may not have been made: check it when the database is back.'
  return new AdminProblem('storeAway', detail, { cause })
}

export function isStoreAway(error: unknown): boolean {
  return error instanceof AdminProblem && error.code === 'storeAway'
}
