/** Points, figures and instances of a time span, from rows of the history (specification 43.4, 43.5). */

import { otherCallers } from '../../observe/metrics/report.ts'
import { CallSum, type Figures, sortDescending } from './call-sum.ts'
import type { HistoryView } from './history-view.ts'
import type { OperationTotal, WrittenRow } from './metric-row.ts'
import type { InstanceDetails, MetricDetails } from './minutes.ts'

export interface DrawnHistory {
  /** Only steps in which an instance counted calls: the others are gaps. */
  readonly points: readonly (Figures & { readonly time: number })[]
  readonly total: Figures
  readonly callers: readonly CallerFigure[]
  readonly otherCallers: number
  readonly instances: readonly InstanceHistory[]
  /** Seconds in which calls were counted. */
  readonly covered: number
  /** Whether some rows have only the most called operations. */
  readonly isCut: boolean
}

export interface CallerFigure {
  /** Null: refused before it was known. */
  readonly operator: string | null
  readonly calls: number
}

export interface InstanceHistory {
  readonly id: string
  readonly points: readonly InstancePoint[]
}

export interface InstancePoint {
  readonly time: number
  /** Bytes of all its processes; null if unknown. */
  readonly memory: number | null
  /** Milliseconds that the event loop was late, at most. */
  readonly delay: number
}

export interface OperationHistory extends Figures {
  readonly operation: string
  readonly method: string
}

const callersShown = 20

interface Point {
  readonly sum: CallSum
  /** Seconds by instance. */
  readonly covered: Map<string, number>
}

/** @param all rows of all calls @param own rows of one operation; undefined: all calls */
export function* drawHistory(
  all: readonly WrittenRow[],
  own: readonly WrittenRow[] | undefined,
  { from, step }: Pick<HistoryView, 'from' | 'step'>,
): Generator<void, DrawnHistory> {
  const points = new Map<number, Point>()
  const instances = new Map<string, Map<number, InstancePoint>>()
  let isCut = false
  const timeOf = ({ time }: WrittenRow) => from + Math.floor((time - from) / step) * step
  for (const row of all) {
    const details = JSON.parse(row.details) as InstanceDetails
    const time = timeOf(row)
    const point = points.get(time) ?? { sum: new CallSum(), covered: new Map<string, number>() }
    points.set(time, point)
    point.covered.set(row.instance, (point.covered.get(row.instance) ?? 0) + details.covered)
    isCut ||= details.isCut
    if (!own) point.sum.add({ ...row, ...details })
    addInstance(instances, row.instance, time, details)
    yield
  }
  for (const row of own ?? []) {
    points.get(timeOf(row))?.sum.add({ ...row, ...(JSON.parse(row.details) as MetricDetails) })
    yield
  }
  const total = new CallSum()
  let covered = 0
  const drawn = [...points]
    .sort(([one], [other]) => one - other)
    .map(([time, point]) => {
      const seconds = Math.min(step / 1000, Math.max(...point.covered.values()))
      total.addSum(point.sum)
      covered += seconds
      return { time, ...point.sum.figures(seconds) }
    })
  return {
    points: drawn,
    total: total.figures(covered),
    ...listCallers(total),
    instances: [...instances]
      .map(([id, found]) => ({ id, points: [...found.values()].sort((one, other) => one.time - other.time) }))
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
    covered,
    isCut,
  }
}

/** The highest values of a step. */
function addInstance(
  instances: Map<string, Map<number, InstancePoint>>,
  id: string,
  time: number,
  { memory, delay }: InstanceDetails,
): void {
  const points = instances.get(id) ?? new Map<number, InstancePoint>()
  instances.set(id, points)
  const known = points.get(time)
  points.set(time, {
    time,
    memory: Math.max(known?.memory ?? 0, memory) || null,
    delay: Math.max(known?.delay ?? 0, Math.round(delay * 10_000) / 10),
  })
}

export function listCallers({ callers }: CallSum): Pick<DrawnHistory, 'callers' | 'otherCallers'> {
  const named = sortDescending(callers).filter(([operator]) => operator !== otherCallers)
  const rest = named.splice(callersShown).reduce((sum, [, calls]) => sum + calls, callers.get(otherCallers) ?? 0)
  return { callers: named.map(([operator, calls]) => ({ operator: operator || null, calls })), otherCallers: rest }
}

type OperationSum = Pick<OperationHistory, 'operation' | 'calls' | 'failed' | 'mean'>

export const sortings = {
  calls: ({ calls }: OperationSum) => calls,
  failed: ({ failed }: OperationSum) => failed,
  mean: ({ mean }: OperationSum) => mean ?? 0,
} as const

/** Each operation once, the highest first. */
export function sortOperations(totals: readonly OperationTotal[], by: keyof typeof sortings): readonly OperationSum[] {
  const weight = sortings[by]
  return [...Map.groupBy(totals, ({ operation }) => operation)]
    .map(([operation, parts]): OperationSum => {
      const sum = (value: (part: OperationTotal) => number) => parts.reduce((so, part) => so + value(part), 0)
      const calls = sum((part) => part.calls)
      const timed = calls - sum((part) => part.refused)
      const mean = timed === 0 ? null : sum((part) => part.seconds) / timed
      return { operation, calls, failed: sum((part) => part.failed), mean }
    })
    .sort((one, other) => weight(other) - weight(one) || (one.operation < other.operation ? -1 : 1))
}

/** In the order of the operations. */
export function* drawOperations(
  operations: readonly string[],
  rows: readonly WrittenRow[],
  covered: number,
): Generator<void, readonly OperationHistory[]> {
  const sums = new Map(operations.map((operation) => [operation, new CallSum()]))
  for (const row of rows) {
    const details = JSON.parse(row.details) as MetricDetails
    const sum = sums.get(row.operation)
    sum?.add({ ...row, ...details })
    if (sum) sum.method ||= details.method
    yield
  }
  return [...sums].map(([operation, sum]) => ({ operation, method: sum.method, ...sum.figures(covered) }))
}
