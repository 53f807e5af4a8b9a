/**
 * The bytes of stored responses, in total and by operator (specification 26.10): counted in the database, and what this
 * process has stored since.
 */
import { setImmediate as rest } from 'node:timers/promises'
import { Refusal } from '../../model/refusal.ts'
import type { IdempotencyStore } from './contract.ts'

/** The share of the total size that one operator may use. */
const part = 1 / 10
/** Seconds until the next count, after which there may be room. */
const retryAfter = 60

export interface StoredBytesOptions {
  readonly store: Pick<IdempotencyStore, 'sumSizes'>
  readonly maxBytes: number
  readonly reportFull: (message: string) => void
}

type Bytes = Map<string, number>

export class StoredBytes {
  readonly #options: StoredBytesOptions
  #total = 0
  #counted: Bytes = new Map()
  /** Stored by this process since the last count began. */
  #since: Bytes = new Map()
  /** The same for a count in progress. */
  #meanwhile: Bytes | undefined
  #hasReported = false

  constructor(options: StoredBytesOptions) {
    this.#options = options
  }

  /** Those that have not expired: a few thousand rows at a time, so that calls have their turn between them. */
  async count(now: number): Promise<void> {
    const counted: Bytes = new Map()
    const since: Bytes = new Map()
    this.#meanwhile = since
    for (let after = now; ; await rest()) {
      const sums = await this.#options.store.sumSizes(after)
      if (sums.length === 0) break
      for (const { operator, size, expires } of sums) {
        add(counted, operator, size)
        after = Math.max(after, expires)
      }
    }
    this.#counted = counted
    this.#since = since
    this.#meanwhile = undefined
    this.#total = 0
    for (const size of [...counted.values(), ...since.values()]) this.#total += size
    this.#hasReported = false
  }

  /** @throws Refusal overloaded: the store, or the part of the operator, has no room */
  take(operator: string, size: number): void {
    const { maxBytes, reportFull } = this.#options
    const setting = `ig.idempotency.size (${maxBytes} bytes)`
    const refuse = (reason: string) => {
      throw new Refusal('overloaded', reason, { retryAfter })
    }
    if (this.#total + size > maxBytes) {
      if (!this.#hasReported)
        reportFull(
          `The stored responses to calls with an Idempotency-Key have all of ${setting}: calls with new keys are refused with 503 until some expire. Raise it, or lower ig.idempotency.lifetime.`,
        )
      this.#hasReported = true
      refuse(`stored responses have all of ${setting}: no new Idempotency-Key is accepted`)
    }
    const stored = (this.#counted.get(operator) ?? 0) + (this.#since.get(operator) ?? 0)
    if (stored + size > maxBytes * part)
      refuse(`the stored responses of ${operator} have a tenth of ${setting}, the most for one operator`)
    this.#add(operator, size)
  }

  giveBack(operator: string, size: number): void {
    this.#add(operator, -size)
  }

  #add(operator: string, size: number): void {
    this.#total += size
    add(this.#since, operator, size)
    if (this.#meanwhile) add(this.#meanwhile, operator, size)
  }
}

function add(bytes: Bytes, operator: string, size: number): void {
  bytes.set(operator, (bytes.get(operator) ?? 0) + size)
}
