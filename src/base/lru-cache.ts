/** A least-recently-used cache, bounded by entries: a Map keeps them in the order of their last use. */
export class LruCache<Entry> {
  readonly #max: number
  readonly #onDropped: ((entry: Entry) => void) | undefined
  readonly #entries = new Map<string, Entry>()

  /** @param onDropped called for each entry that has to make room */
  constructor(max: number, onDropped?: (entry: Entry) => void) {
    this.#max = max
    this.#onDropped = onDropped
  }

  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.set(key, entry)
    return entry
  }

  set(key: string, entry: Entry): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    const [oldest] = this.#entries.size > this.#max ? this.#entries : []
    if (!oldest) return
    this.#entries.delete(oldest[0])
    this.#onDropped?.(oldest[1])
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
