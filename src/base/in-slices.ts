/** Work that would stop the calls if it were done at once: a slice at a time, beside them (specification 12.3, 13.7). */
import { setImmediate as breathe } from 'node:timers/promises'
import { collectYoung } from './collect-garbage.ts'

/** Milliseconds that a call may have to wait for a slice. */
const slice = 3

/** Works through the steps, a slice at a time; between two, whatever else is due has its turn. */
export async function inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + slice
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() < end)
    await breathe()
    // Nearly all that the steps make is kept, and the collector stops the calls while it copies that: 10 to 20 ms where
    // 16 MB have gathered.
    collectYoung()
    await breathe()
  }
}
