/**
 * The items of batches, one at a time. What an `async function*` yields takes three turns of the queue of promises and as
 * many objects; an item of a batch that is there takes one.
 */

export function flattenBatches<Item>(batches: AsyncIterator<readonly Item[]>): AsyncIterableIterator<Item> {
  return new BatchIterator(batches)
}

class BatchIterator<Item> implements AsyncIterableIterator<Item> {
  readonly #batches: AsyncIterator<readonly Item[]>
  #batch: readonly Item[] = []
  #at = 0
  #isOver = false
  #fetching: Promise<void> | undefined

  constructor(batches: AsyncIterator<readonly Item[]>) {
    this.#batches = batches
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#at < this.#batch.length) {
      const value = this.#batch[this.#at] as Item
      this.#at += 1
      return Promise.resolve({ done: false, value })
    }
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined })
    this.#fetching ??= this.#fetch()
    return this.#fetching.then(() => this.next())
  }

  async #fetch(): Promise<void> {
    try {
      const { done, value } = await this.#batches.next()
      this.#isOver = done === true
      this.#batch = done ? [] : value
    } catch (error) {
      this.#isOver = true
      this.#batch = []
      throw error
    } finally {
      this.#at = 0
      this.#fetching = undefined
    }
  }

  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#isOver = true
    this.#batch = []
    await this.#batches.return?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
