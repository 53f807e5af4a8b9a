/** Long work in slices between calls, which it would otherwise block (specification 12.3, 13.7). */
import { setImmediate as breathe } from 'node:timers/promises'

/** Milliseconds that a call may have to wait for a slice. */
const slice = 3

/** Runs the steps a slice at a time, and yields in between. */
export async function inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + slice
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() < end)
    await breathe()
  }
}
