/**
 * Runs work on whole configurations one at a time, because each needs memory for a configuration and processor time
 * that calls need (specification 18.22, 18.23).
 */
import { inSlices } from '../base/in-slices.ts'
import { openBoundedWork } from '../verification/bounded-work.ts'

const oneByOne = openBoundedWork({
  concurrency: 1,
  maxWaiting: 16,
  full: 'Too many configurations are waiting to be read or compared.',
})

/** @throws Refusal `overloaded` if too many wait */
export function inTurn<Result>(steps: Generator<void, Result>): Promise<Result> {
  return oneByOne(() => inSlices(steps))
}
