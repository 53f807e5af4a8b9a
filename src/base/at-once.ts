/** Work that is done in steps where calls are served (`in-slices.ts`), done at once where nobody waits (specification 12.3). */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
