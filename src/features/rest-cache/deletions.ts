/** Rows that must be deleted in the store: a deletion that failed is repeated when the store answers again (specification 6.8). */
import type { CacheRows } from './contract.ts'

export interface Deletion {
  readonly operationId: string
  /** Undefined: of all operators. */
  readonly operator: string | undefined
}

export class Deletions {
  readonly #store: CacheRows
  readonly #onDeleted: (generations: ReadonlyMap<string, number>) => void
  readonly #waiting = new Map<string, Deletion>()
  #repeating: Promise<void> | undefined

  constructor(store: CacheRows, onDeleted: (generations: ReadonlyMap<string, number>) => void) {
    this.#store = store
    this.#onDeleted = onDeleted
  }

  /** The operations whose deletions failed. */
  get waiting(): readonly string[] {
    return [...this.#waiting.values()].map(({ operationId }) => operationId)
  }

  /** Repeated later if it fails. */
  async run(deletion: Deletion): Promise<void> {
    const { operationId, operator } = deletion
    const deleting =
      operator === undefined
        ? this.#store.deleteOperation(operationId)
        : this.#store.deleteSome(operationId, { operator }).then(({ generation }) => generation)
    const generation = await deleting.catch((error) => {
      this.#waiting.set(keyOf(deletion), deletion)
      throw error
    })
    this.#waiting.delete(keyOf(deletion))
    this.#onDeleted(new Map([[operationId, generation]]))
  }

  /** One round at a time, which no one waits for. If the cache is not writable, the request that needs to write reports it. */
  repeat(): void {
    this.#repeating ??= this.#runWaiting()
      .catch(() => {})
      .finally(() => {
        this.#repeating = undefined
      })
  }

  async #runWaiting(): Promise<void> {
    for (const deletion of this.#waiting.values()) await this.run(deletion)
  }
}

function keyOf({ operationId, operator }: Deletion): string {
  return JSON.stringify([operationId, operator])
}
