/** The history of metrics: the last minutes from what the instances report, older ones from the store (specification 43.4 to 43.7). */

import type { ActionParts } from '../../actions/action.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { inSlices } from '../../base/in-slices.ts'
import {
  type DrawnHistory,
  drawHistory,
  drawOperations,
  listCallers,
  type OperationHistory,
  sortings,
  sortOperations,
} from './draw-history.ts'
import { chooseView, type HistorySpan } from './history-view.ts'
import { drawOverview } from './overview.ts'
import { requireMetrics } from './require-metrics.ts'
import { type MetricRows, openMetricRows } from './rows.ts'
import { stepLength, stepsKept, type TimeStep } from './steps.ts'

export interface HistoryQuery extends HistorySpan {
  readonly operation?: string | undefined
  readonly sort: keyof typeof sortings
  readonly limit: number
}

export interface FoundHistory extends Omit<DrawnHistory, 'covered'> {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly isPartial: boolean
  readonly operations: readonly OperationHistory[]
  readonly operationCount: number
}

export async function readHistory(parts: ActionParts, query: HistoryQuery): Promise<FoundHistory> {
  const { heartbeat } = requireMetrics(parts)
  const rows = openMetricRows(parts.store.databases)
  const now = heartbeat.now()
  const { isAlone, steps } = await heartbeat.readAll()
  const isLive = query.from === undefined && query.to === undefined && query.minutes * 60_000 <= stepLength * stepsKept
  const drawn = isLive ? await drawLive(rows, steps, now, query, isAlone) : await drawStored(rows, now, query)
  return { ...drawn, isPartial: isLive && isAlone }
}

type HistoryFigures = Omit<FoundHistory, 'isPartial'>

async function drawStored(rows: MetricRows, now: number, query: HistoryQuery): Promise<HistoryFigures> {
  const view = chooseView(query, now)
  if (!view) throw new AdminProblem('invalid', 'from must be before to, in the past, and within the last nine days.')
  const all = await rows.read('', view.points)
  const own = query.operation === undefined ? undefined : await rows.read(query.operation, view.points)
  const drawn = await inSlices(drawHistory(all, own, view))
  const sorted = sortOperations(await rows.sum(view.sums), query.sort)
  const shown = sorted.slice(0, query.limit).map(({ operation }) => operation)
  const operations = await inSlices(drawOperations(shown, await rows.details(shown, view.sums), drawn.covered))
  return { ...drawn, from: view.from, to: view.to, step: view.step, operations, operationCount: sorted.length }
}

/** Without steps that no instance has; instances by minute. */
async function drawLive(
  stored: MetricRows,
  steps: readonly (readonly TimeStep[])[],
  now: number,
  query: HistoryQuery,
  isAlone: boolean,
): Promise<HistoryFigures> {
  const drawn = drawOverview(steps, { now, minutes: query.minutes, operation: query.operation })
  const { from, to } = drawn
  const known = new Set(steps.flatMap((each) => each.map(({ time }) => time)))
  const minute = 60_000
  const rows = isAlone ? [] : await stored.read('', [{ resolution: 60, from: Math.ceil(from / minute) * minute, to }])
  const { instances } = await inSlices(drawHistory(rows, undefined, { from: 0, step: minute }))
  const weight = sortings[query.sort]
  const operations = drawn.operations.toSorted((one, other) => weight(other) - weight(one))
  return {
    from,
    to,
    step: stepLength,
    points: drawn.points.filter(({ time }) => known.has(time)),
    total: drawn.total,
    ...listCallers(drawn.sum),
    instances,
    isCut: false,
    operations: operations.slice(0, query.limit),
    operationCount: operations.length,
  }
}

/** Of the last day, as far as its minutes have ended; in the order of the operations. */
export async function readOperations(
  parts: ActionParts,
  operations: readonly string[],
): Promise<readonly OperationHistory[]> {
  const view = chooseView({ minutes: 24 * 60 }, requireMetrics(parts).heartbeat.now())
  if (!view) return []
  const rows = await openMetricRows(parts.store.databases).details(operations, view.sums)
  const drawn = await inSlices(drawOperations(operations, rows, 24 * 3600))
  return drawn.filter(({ calls }) => calls > 0)
}
