/**
 * How long administration waits for the store (specification 18.16): what takes long is given up where a question that
 * costs nothing is not answered either. Calls have waits of their own, which are not touched.
 */
import type { Store } from '../store/store.ts'
import { AdminProblem } from './problem-details.ts'

export interface StoreWatch {
  /** @throws AdminProblem `storeAway`, within about three seconds, where the store does not answer */
  ask<Found>(question: () => Promise<Found>): Promise<Found>
  answers(): Promise<boolean>
}

/** Milliseconds: a statement may take longer, where the store answers. */
const slow = 1_000
/**
 * Milliseconds that the question may take, and while it is known that the store is away: long enough to connect anew, so
 * that a store which is back is found so at once, and nobody is believed any more (specification 18.8).
 */
const patience = { first: 2_000, known: 500 }

export function openStoreWatch({ revisions }: Pick<Store, 'revisions'>): StoreWatch {
  let isAway = false
  let asking: Promise<boolean> | undefined
  /** One for all who wait. */
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

/** Whatever of it answers later is asked within the bounds. */
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
    'Calls go on with what was last seen of it. What you asked for may not be done: look again when it answers.'
  return new AdminProblem('storeAway', detail, { cause })
}

export function isStoreAway(error: unknown): boolean {
  return error instanceof AdminProblem && error.code === 'storeAway'
}
