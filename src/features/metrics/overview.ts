/** Rates, percentiles and shares of the last minutes, overall and by operation, from steps (specification 20.8). */
import { CallSum, type Figures } from './call-sum.ts'
import { stepLength, type TimeStep } from './steps.ts'

export interface Point extends Figures {
  readonly time: number
}

export interface OperationFigures extends Figures {
  readonly operation: string
  readonly method: string
}

export interface Overview {
  readonly from: number
  readonly to: number
  readonly points: readonly Point[]
  readonly total: Figures
  readonly sum: CallSum
  /** All of them, the most called first. */
  readonly operations: readonly OperationFigures[]
}

export interface OverviewOptions {
  /** Epoch milliseconds, of the database. */
  readonly now: number
  readonly minutes: number
  /** Points and total of this operation only. */
  readonly operation?: string | undefined
}

/** Milliseconds to wait for a late step of another instance, which would be missing from the sum. */
const patience = 3_000

/** @param instances the time steps of each instance */
export function drawOverview(instances: readonly (readonly TimeStep[])[], options: OverviewOptions): Overview {
  const to = Math.floor((options.now - patience) / stepLength) * stepLength
  const count = (options.minutes * 60_000) / stepLength
  const from = to - count * stepLength
  const points = Array.from({ length: count }, () => new CallSum())
  const total = new CallSum()
  const operations = new Map<string, { readonly sum: CallSum; method: string }>()
  for (const { time, operations: parts } of instances.flat()) {
    const point = points[(time - from) / stepLength]
    if (!point || time < from) continue
    for (const part of parts) {
      const known = operations.get(part.operation) ?? { sum: new CallSum(), method: '' }
      operations.set(part.operation, known)
      known.sum.add(part)
      known.method ||= part.method
      if (options.operation !== undefined && options.operation !== part.operation) continue
      point.add(part)
      total.add(part)
    }
  }
  const seconds = (count * stepLength) / 1000
  return {
    from,
    to,
    points: points.map((sum, index) => ({ time: from + index * stepLength, ...sum.figures(stepLength / 1000) })),
    total: total.figures(seconds),
    sum: total,
    operations: [...operations]
      .map(([operation, { sum, method }]) => ({ operation, method, ...sum.figures(seconds) }))
      .sort((one, other) => other.calls - one.calls || (one.operation < other.operation ? -1 : 1)),
  }
}
