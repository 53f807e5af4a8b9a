/**
 * Which operations use up the errors that their `slo` allows too fast (specification 43.12): over a long time, so that a
 * few errors are no alert, and over a short one, so that it ends soon after the errors do.
 */
import { burnRates, leastCalls } from './burn-rates.ts'
import type { FoundAlert } from './find-alerts.ts'
import { type Errors, errorShareOf, type Objectives } from './objectives.ts'
import type { MetricRows } from './rows.ts'

/** @param latest epoch milliseconds: the end of the last minute that is stored */
export async function findBurning(
  rows: Pick<MetricRows, 'sum'>,
  objectives: Objectives,
  latest: number,
): Promise<readonly FoundAlert[]> {
  const sum = async (operations: readonly string[], minutes: number) => {
    const piece = { resolution: 60, from: latest - minutes * 60_000, to: latest } as const
    return operations.length === 0 ? [] : rows.sum([piece], operations)
  }
  const found: FoundAlert[] = []
  for (const [name, { rate, long, short }] of Object.entries(burnRates)) {
    const allowedOf = (operation: string) => objectives.get(operation)?.allowed ?? 1
    const burns = (each: Errors & { readonly operation: string }) =>
      errorShareOf(each) > rate * allowedOf(each.operation)
    // Most operations burn nothing: the long time is read only of those that do in the short one
    const burning = new Map(
      (await sum([...objectives.keys()], short)).filter(burns).map((each) => [each.operation, each]),
    )
    for (const each of (await sum([...burning.keys()], long)).filter(burns)) {
      const { operation: subject, calls, refused } = each
      if (calls - refused < leastCalls) continue
      const near = show(errorShareOf(burning.get(subject) ?? each))
      const detail = `${show(errorShareOf(each))} of its calls failed or were slow in the last ${long / 60} h, ${near} in the last ${short} minutes (its slo allows ${show(allowedOf(subject))})`
      found.push({ name, subject, detail })
    }
  }
  return found
}

const show = (share: number) => `${(share * 100).toLocaleString('en', { maximumSignificantDigits: 3 })} %`
