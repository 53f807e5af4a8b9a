/** Runs work on each item, a few at a time. After the first failure no further work begins. */
export async function runConcurrently<Item>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  let hasFailed = false
  const run = async () => {
    for (let next = left.next(); !next.done && !hasFailed; next = left.next())
      await work(next.value).catch((error) => {
        hasFailed = true
        throw error
      })
  }
  await Promise.all(Array.from({ length: concurrency }, run))
}
