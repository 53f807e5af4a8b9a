/** What the REST cache has in the store: rows in, objects out; the same over SQLite and PostgreSQL. */

/** Rows of the REST cache, separate from handlers' transactions so that neither ever waits for the other. */
export interface CacheRows {
  /**
   * Operations that ever cached anything, with their current generation, from 0: entries of others are deleted. Only
   * those added or raised after this epoch; -1: all of them. @returns also the epoch for the next poll
   */
  changedSince(epoch: number): Promise<{ readonly epoch: number; readonly generations: ReadonlyMap<string, number> }>
  /** An entry of the current generation, expired or not; status 0: the mark of a deleted one. */
  find(key: string): Promise<CacheRow | undefined>
  /**
   * Inserts, or replaces an entry that has expired or is of an older generation. Adds the operation to those of `changedSince`.
   * @returns false if a valid entry exists, which stays
   */
  put(key: string, row: CacheRow, now: number): Promise<boolean>
  /**
   * Raises the operation's generation, which every process sees by `changedSince`; leaves marks of its rows. @returns
   * the new generation
   */
  deleteOperation(operationId: string): Promise<number>
  /**
   * Takes or extends the owner's claim for the given number of milliseconds. One process at a time has a claim.
   * @returns false if another owner has it
   */
  claim(key: string, owner: string, lease: number): Promise<boolean>
  /** Releases the owner's claim. */
  release(key: string, owner: string): Promise<void>
  /** Removes an expired entry and its mark, so the key counts as never cached. */
  removeMark(key: string): Promise<void>
  /** Deletes the entries of one URL or of one operator: the operation's others join the new generation. */
  deleteSome(
    operationId: string,
    only: { readonly url: string } | { readonly operator: string },
  ): Promise<{ readonly generation: number; readonly deleted: number }>
  /** Entries that can answer calls, the newest first. */
  list(filter: CacheFilter): Promise<CachePage>
  /** Deletes rows that expired long ago and, oldest first, those over the limits. */
  prune(now: number, bounds: { readonly maxBytes: number; readonly maxEntries: number }): Promise<void>
}

export interface CacheRow {
  readonly operationId: string
  readonly generation: number
  /** Epoch milliseconds. */
  readonly expires: number
  readonly status: number
  /** Flat: name, value… */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly url?: string
  readonly operator?: string
}

export interface CacheFilter {
  readonly operationId?: string
  readonly now: number
  readonly offset: number
  readonly limit: number
}

export interface CachePage {
  readonly entries: readonly CacheEntry[]
  /** The number of entries on all pages. */
  readonly total: number
  readonly bytes: number
}

export interface CacheEntry {
  readonly operationId: string
  readonly url: string | null
  readonly operator: string | null
  readonly expires: number
  readonly status: number
  /** Size in bytes. */
  readonly size: number
}
