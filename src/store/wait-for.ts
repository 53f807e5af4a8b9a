/** A limited wait for a turn at the database (specification 5.9). */
import { setTimeout } from '../base/timers.ts'
import { Refusal } from '../model/refusal.ts'
import type { BeginOptions } from './database.ts'

/** @param giveBack receives a late result @throws Refusal overloaded; the signal's reason */
export async function waitFor<T>(
  asked: Promise<T>,
  { wait, signal }: BeginOptions,
  what: string,
  giveBack: (late: T) => void,
): Promise<T> {
  const { promise: given, resolve, reject } = Promise.withResolvers<T>()
  let isOver = false
  const giveUp = (reason: unknown) => {
    isOver = true
    reject(reason)
  }
  const late = () => giveUp(new Refusal('overloaded', `Waited ${wait} ms for ${what}`))
  const aborted = () => giveUp(signal?.reason)
  const timer = setTimeout(late, wait)
  signal?.addEventListener('abort', aborted, { once: true })
  asked.then((thing) => (isOver ? giveBack(thing) : resolve(thing)), reject)
  try {
    return await given
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
  }
}

/** Turns, one after the other, in order of request. */
export class Turns {
  #last: Promise<void> = Promise.resolve()
  #asked = 0

  /** The current holder and the waiters. */
  get count(): number {
    return this.#asked
  }

  /** @returns ends the turn */
  ask(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#asked += 1
    const end = () => {
      this.#asked -= 1
      resolve()
    }
    const turn = this.#last.then(() => end)
    this.#last = promise
    return turn
  }
}
