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
  readonly #underWay = new Set<Deletion>()

  constructor(store: CacheRows, onDeleted: (generations: ReadonlyMap<string, number>) => void) {
    this.#store = store
    this.#onDeleted = onDeleted
  }

  /** The operations whose deletions failed or are under way. */
  get waiting(): readonly string[] {
    return [...this.#waiting.values()].map(({ operationId }) => operationId)
  }

  /** Repeated later if it fails. */
  async run(deletion: Deletion): Promise<void> {
    const { operationId, operator } = deletion
    const key = keyOf(deletion)
    this.#waiting.set(key, deletion)
    this.#underWay.add(deletion)
    try {
      const generation =
        operator === undefined
          ? await this.#store.deleteOperation(operationId)
          : (await this.#store.deleteSome(operationId, { operator })).generation
      if (this.#waiting.get(key) === deletion) this.#waiting.delete(key) // a later one may have failed meanwhile
      this.#onDeleted(new Map([[operationId, generation]]))
    } finally {
      this.#underWay.delete(deletion)
    }
  }

  /** Those that failed. */
  async repeat(): Promise<void> {
    for (const deletion of this.#waiting.values()) if (!this.#underWay.has(deletion)) await this.run(deletion)
  }
}

function keyOf({ operationId, operator }: Deletion): string {
  return JSON.stringify([operationId, operator])
}
