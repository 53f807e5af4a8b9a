/**
 * The bytes of stored responses, in total and by operator (specification 26.10): counted in the database, and what this
 * process has stored since.
 */
import { setImmediate as rest } from 'node:timers/promises'
import { Refusal } from '../../model/refusal.ts'
import type { IdempotencyStore } from '../../store/idempotency/contract.ts'

/** Of the total size, for each operator. */
const part = 1 / 10

export class StoredBytes {
  readonly #store: Pick<IdempotencyStore, 'sumSizes'>
  readonly #most: number
  readonly #reportFull: () => void
  #total = 0
  #byOperator = new Map<string, number>()
  /** Stored while a count is in progress. */
  #meanwhile: (readonly [operator: string, size: number])[] = []
  #hasReported = false

  constructor(store: Pick<IdempotencyStore, 'sumSizes'>, most: number, reportFull: () => void) {
    this.#store = store
    this.#most = most
    this.#reportFull = reportFull
  }

  /** Those that have not expired: a few thousand rows at a time, so that calls have their turn between them. */
  async count(now: number): Promise<void> {
    const counted: (readonly [operator: string, size: number])[] = []
    this.#meanwhile = []
    for (let after = now; ; await rest()) {
      const sums = await this.#store.sumSizes(after)
      if (sums.length === 0) break
      for (const { operator, size, expires } of sums) {
        counted.push([operator, size])
        after = Math.max(after, expires)
      }
    }
    const meanwhile = this.#meanwhile
    this.#total = 0
    this.#byOperator = new Map()
    this.#hasReported = false
    for (const [operator, size] of [...counted, ...meanwhile]) this.#add(operator, size)
  }

  /** @throws Refusal overloaded: the store, or the part of the operator, has no room */
  take(operator: string, size: number): void {
    const setting = `ig.idempotency.size (${this.#most} bytes)`
    if (this.#total + size > this.#most) {
      if (!this.#hasReported) this.#reportFull()
      this.#hasReported = true
      throw new Refusal('overloaded', `stored responses have all of ${setting}: no new Idempotency-Key is accepted`)
    }
    if ((this.#byOperator.get(operator) ?? 0) + size > this.#most * part)
      throw new Refusal(
        'overloaded',
        `the stored responses of ${operator} have a tenth of ${setting}, the most for one operator`,
      )
    this.#add(operator, size)
    this.#meanwhile.push([operator, size])
  }

  giveBack(operator: string, size: number): void {
    this.#add(operator, -size)
    this.#meanwhile.push([operator, -size])
  }

  #add(operator: string, size: number): void {
    this.#total += size
    this.#byOperator.set(operator, (this.#byOperator.get(operator) ?? 0) + size)
  }
}
