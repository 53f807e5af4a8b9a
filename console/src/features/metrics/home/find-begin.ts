/** When the failures of an operation began, and the revision with which they began, if one did it. */

export interface CallStep {
  /** Its start in epoch milliseconds, and its length. */
  readonly time: number
  readonly length: number
  /** Calls that were not refused. */
  readonly calls: number
  readonly failed: number
}

export interface Begin {
  /** The first step with failures begins here and ends by there; epoch milliseconds. */
  readonly from: number
  readonly by: number
  /** The start of the last step with failures. */
  readonly last: number
}

export interface Activation {
  readonly revision: number
  /** ISO 8601. */
  readonly time: string
}

/** Failures begin after so many milliseconds of calls without any. */
const calm = 600_000
/** A revision that is this old had nothing to do with them; milliseconds. */
const recent = 300_000

/** Finds when the failures at the end of these steps began. @param steps in order of time @param since steps before it are not known */
export function findBegin(steps: readonly CallStep[], since: number): Begin | undefined {
  let first: CallStep | undefined
  let last: CallStep | undefined
  let good: CallStep | undefined
  for (const step of steps.toReversed()) {
    if (first && good && first.time - step.time - step.length >= calm) break
    if (step.failed > 0) {
      first = step
      last ??= step
      good = undefined
    } else if (first && step.calls > 0) good ??= step
  }
  if (!first || !last || (good === undefined && first.time - since < calm)) return undefined
  return { from: first.time, by: first.time + first.length, last: last.time }
}

/** The last activation before the first failed call, if it was recent: some calls may be good. @param activations the newest first */
export function findCause<Found extends Activation>(
  { from, by }: Begin,
  activations: readonly Found[],
): Found | undefined {
  const last = activations.find(({ time }) => Date.parse(time) <= by)
  return last && from - Date.parse(last.time) <= recent ? last : undefined
}
