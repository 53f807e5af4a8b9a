/** The claim of a process to run the handler for an entry that was cached before (specification 6.10, 17.8). */
import { randomUUID } from 'node:crypto'
import { setInterval } from '../../base/timers.ts'
import { lease } from '../../store/claim-times.ts'
import type { CacheRows } from './contract.ts'

export class RunClaim {
  readonly #store: CacheRows
  readonly #row: string
  readonly key: string
  readonly #owner = randomUUID()

  /** @param row the entry's key in the store @param generation after a deletion, no call waits for a run before it */
  constructor(store: CacheRows, row: string, generation: number) {
    this.#store = store
    this.#row = row
    this.key = `${row}.${generation}`
  }

  /** @returns whether it is ours now */
  take(): Promise<boolean> {
    return this.#store.claim(this.key, this.#owner, lease)
  }

  renew(): NodeJS.Timeout {
    return setInterval(() => this.take().catch(() => {}), lease / 3).unref()
  }

  release(): Promise<void> {
    return this.#store.release(this.key, this.#owner)
  }

  /** The entry's next misses do not wait for each other. */
  removeMark(): Promise<void> {
    return this.#store.removeMark(this.#row)
  }
}
