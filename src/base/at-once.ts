/**
 * Runs at once the work that serving processes do in slices (`in-slices.ts`), where no call waits (specification 12.3).
 */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
