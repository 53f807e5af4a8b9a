/**
 * The claims of this process on keys whose handlers run (specification 26.6): renewed while they run, and released
 * together, which no call waits for. A claim that is not released expires.
 */

import { setInterval, setTimeout } from '../../base/timers.ts'
import { lease } from '../../store/claim-times.ts'
import type { Claim, IdempotencyStore } from './contract.ts'

/** Milliseconds for which released claims are collected. */
const releaseEvery = 50
/** Claims of one statement. */
const max = 500

type ClaimStore = Pick<IdempotencyStore, 'renew' | 'release'>

export class Claims {
  readonly #store: ClaimStore
  readonly #held = new Set<Claim>()
  #renewing: NodeJS.Timeout | undefined
  #ended: Claim[] = []
  #releasing: NodeJS.Timeout | undefined

  constructor(store: ClaimStore) {
    this.#store = store
  }

  hold(claim: Claim): void {
    this.#held.add(claim)
    this.#renewing ??= setInterval(() => void this.#renew(), lease / 3).unref()
  }

  /** Ends a claim whose response is stored. @param isHeld false if the transaction has released it */
  end(claim: Claim, isHeld: boolean): void {
    this.#letGo(claim)
    if (!isHeld) return
    if (this.#ended.push(claim) >= max) void this.flush()
    else this.#releasing ??= setTimeout(() => void this.flush(), releaseEvery).unref()
  }

  /** Releases a claim without a stored response immediately, so that a repeat can run the handler. */
  async release(claim: Claim): Promise<void> {
    this.#letGo(claim)
    await this.#store.release([claim]).catch(() => {})
  }

  async flush(): Promise<void> {
    clearTimeout(this.#releasing)
    this.#releasing = undefined
    const ended = this.#ended
    this.#ended = []
    if (ended.length > 0) await this.#store.release(ended).catch(() => {})
  }

  #letGo(claim: Claim): void {
    this.#held.delete(claim)
    if (this.#held.size > 0) return
    clearInterval(this.#renewing)
    this.#renewing = undefined
  }

  async #renew(): Promise<void> {
    const held = [...this.#held]
    for (let at = 0; at < held.length; at += max)
      await this.#store.renew(held.slice(at, at + max), lease).catch(() => {})
  }
}
