/**
 * The claims of this process on keys whose handlers run (specification 26.6): renewed while they run, and released
 * together, which no call waits for. A claim that is not released expires.
 */
import type { Claim, IdempotencyStore } from '../../store/idempotency/contract.ts'

/** A dead process holds its claims for this long; a live one renews them. In milliseconds. */
export const lease = 3_000
/** Milliseconds in which released claims are collected. */
const collects = 50
/** Claims of one statement. */
const most = 500

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

  /** A repeat gets the kept answer. @param isHeld false if the transaction has released it */
  end(claim: Claim, isHeld: boolean): void {
    this.#letGo(claim)
    if (!isHeld) return
    if (this.#ended.push(claim) >= most) void this.flush()
    else this.#releasing ??= setTimeout(() => void this.flush(), collects).unref()
  }

  /** At once: a repeat may run the handler. */
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
    for (let at = 0; at < held.length; at += most)
      await this.#store.renew(held.slice(at, at + most), lease).catch(() => {})
  }
}
