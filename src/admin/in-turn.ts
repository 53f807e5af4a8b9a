/**
 * Work on whole configurations: one after the other, as each holds memory for a configuration and takes its slices of the
 * calls' time, so that many at once would stop them (specification 18.22, 18.23).
 */
import { inSlices } from '../base/in-slices.ts'
import { openBoundedWork } from '../steps/credentials/bounded-work.ts'

const oneByOne = openBoundedWork({
  concurrency: 1,
  maxWaiting: 16,
  full: 'Too many configurations are waiting to be read or compared.',
})
let came = 0

/** @throws Refusal `overloaded`, where too many wait */
export function inTurn<Result>(steps: Generator<void, Result>): Promise<Result> {
  came += 1
  return oneByOne(came, () => inSlices(steps))
}
