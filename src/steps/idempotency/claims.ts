/**
 * The claims of this process on keys whose handlers run (specification 26.6): renewed while they run, and released
 * together, which no call waits for. A claim that is not released expires.
 */
import type { IdempotencyStore } from '../../store/idempotency/contract.ts'

/** A dead process holds its claims for this long; a live one renews them. In milliseconds. */
export const lease = 3_000
/** Milliseconds in which released claims are collected. */
const collects = 50
/** Claims of one statement. */
const most = 500

type ClaimStore = Pick<IdempotencyStore, 'renew' | 'release'>

export class Claims {
  readonly #store: ClaimStore
  readonly #held = new Set<string>()
  #renewing: NodeJS.Timeout | undefined
  #ended: string[] = []
  #releasing: NodeJS.Timeout | undefined

  constructor(store: ClaimStore) {
    this.#store = store
  }

  hold(owner: string): void {
    this.#held.add(owner)
    this.#renewing ??= setInterval(() => void this.#renew(), lease / 3).unref()
  }

  /** A repeat gets the kept answer. @param isHeld false if the transaction has released it */
  end(owner: string, isHeld: boolean): void {
    this.#letGo(owner)
    if (!isHeld) return
    if (this.#ended.push(owner) >= most) void this.flush()
    else this.#releasing ??= setTimeout(() => void this.flush(), collects).unref()
  }

  /** At once: a repeat may run the handler. */
  async release(owner: string): Promise<void> {
    this.#letGo(owner)
    await this.#store.release([owner]).catch(() => {})
  }

  async flush(): Promise<void> {
    clearTimeout(this.#releasing)
    this.#releasing = undefined
    const ended = this.#ended
    this.#ended = []
    if (ended.length > 0) await this.#store.release(ended).catch(() => {})
  }

  #letGo(owner: string): void {
    this.#held.delete(owner)
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
