/**
 * A least-recently-used cache, bounded by entries. Two generations: an entry in use moves to the recent one; when that is
 * full, the older one is dropped as a whole.
 */
export class LruCache<Entry> {
  readonly #max: number
  readonly #onDropped: ((entry: Entry) => void) | undefined
  #recent = new Map<string, Entry>()
  #older = new Map<string, Entry>()

  /**
   * @param most entries
   * @param onDropped called for each entry that has to make room
   */
  constructor(max: number, onDropped?: (entry: Entry) => void) {
    this.#max = max
    this.#onDropped = onDropped
  }

  get(key: string): Entry | undefined {
    const entry = this.#recent.get(key)
    if (entry !== undefined) return entry
    const aged = this.#older.get(key)
    if (aged !== undefined) this.set(key, aged)
    return aged
  }

  set(key: string, entry: Entry): void {
    this.delete(key)
    if (this.#recent.size + 1 > this.#max / 2) {
      const dropped = this.#older
      this.#older = this.#recent
      this.#recent = new Map()
      if (this.#onDropped) for (const each of dropped.values()) this.#onDropped(each)
    }
    this.#recent.set(key, entry)
  }

  delete(key: string): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  clear(): void {
    this.#recent.clear()
    this.#older.clear()
  }
}
