/**
 * What came lately, by a text, in a limited number of entries, or of bytes. Two generations: an entry in use moves to the
 * recent one; when that is full, the older one is dropped as a whole.
 */
export class Recent<Entry> {
  readonly #most: number
  readonly #sizeOf: (entry: Entry) => number
  #size = 0
  #recent = new Map<string, Entry>()
  #older = new Map<string, Entry>()

  /** @param most entries, or the sum of their sizes */
  constructor(most: number, sizeOf: (entry: Entry) => number = () => 1) {
    this.#most = most
    this.#sizeOf = sizeOf
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
    const size = this.#sizeOf(entry)
    if (this.#size + size > this.#most / 2) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#size = 0
    }
    this.#recent.set(key, entry)
    this.#size += size
  }

  delete(key: string): void {
    const entry = this.#recent.get(key)
    if (entry !== undefined) this.#size -= this.#sizeOf(entry)
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  clear(): void {
    this.#recent.clear()
    this.#older.clear()
    this.#size = 0
  }
}
