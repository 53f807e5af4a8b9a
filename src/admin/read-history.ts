/** The history of metrics: the last minutes from what the instances report, older ones from the store (specification 43.4 to 43.7). */

import { AdminProblem } from '../actions/problem-details.ts'
import { inSlices } from '../base/in-slices.ts'
import {
  type DrawnHistory,
  drawHistory,
  drawOperations,
  listCallers,
  type OperationHistory,
  sortings,
  sortOperations,
} from '../observe/metrics/draw-history.ts'
import { findAlerts, type MetricAlert } from '../observe/metrics/find-alerts.ts'
import { chooseView, type HistorySpan, lastMinute } from '../observe/metrics/history-view.ts'
import { drawOverview } from '../observe/metrics/overview.ts'
import { type Step, stepLength, stepsKept } from '../observe/metrics/steps.ts'
import type { AdminParts } from './parts.ts'

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
  readonly alerts: readonly MetricAlert[]
}

/** Minutes that alerts look back for instances. */
const alertMinutes = 3

export async function readHistory(parts: AdminParts, query: HistoryQuery): Promise<FoundHistory> {
  const { metrics, store, settings } = parts
  if (!metrics) throw new AdminProblem('metricsOff', 'Set ig.metrics=on and restart the gateway.')
  const { heartbeat } = metrics
  const now = heartbeat.now()
  const { isAlone, steps } = await heartbeat.readAll()
  const isLive = query.from === undefined && query.to === undefined && query.minutes * 60_000 <= stepLength * stepsKept
  const latest = lastMinute(now)
  const last = [{ resolution: 60, from: latest - alertMinutes * 60_000, to: latest }] as const
  const ofInstances = isAlone ? [] : await store.history.read('', last)
  const drawn = isLive ? await drawLive(parts, steps, now, query, isAlone) : await drawStored(parts, now, query)
  const alerts = findAlerts(drawOverview(steps, { now, minutes: 5 }).operations, ofInstances, settings.metrics.alerts)
  return {
    ...drawn,
    isPartial: isLive && isAlone,
    alerts: alerts.filter(({ operation }) => query.operation === undefined || operation === query.operation),
  }
}

type Drawn = Omit<FoundHistory, 'alerts' | 'isPartial'>

async function drawStored({ store: { history } }: AdminParts, now: number, query: HistoryQuery): Promise<Drawn> {
  const view = chooseView(query, now)
  if (!view) throw new AdminProblem('invalid', 'from must be before to, in the past, and within the last nine days.')
  const all = await history.read('', view.points)
  const own = query.operation === undefined ? undefined : await history.read(query.operation, view.points)
  const drawn = await inSlices(drawHistory(all, own, view))
  const sorted = sortOperations(await history.sum(view.sums), query.sort)
  const shown = sorted.slice(0, query.limit).map(({ operation }) => operation)
  const operations = await inSlices(drawOperations(shown, await history.details(shown, view.sums), drawn.covered))
  return { ...drawn, from: view.from, to: view.to, step: view.step, operations, operationCount: sorted.length }
}

/** Without steps that no instance has; instances by minute. */
async function drawLive(
  { store: { history } }: AdminParts,
  steps: readonly (readonly Step[])[],
  now: number,
  query: HistoryQuery,
  isAlone: boolean,
): Promise<Drawn> {
  const drawn = drawOverview(steps, { now, minutes: query.minutes, operation: query.operation })
  const { from, to } = drawn
  const known = new Set(steps.flatMap((each) => each.map(({ time }) => time)))
  const minute = 60_000
  const rows = isAlone ? [] : await history.read('', [{ resolution: 60, from: Math.ceil(from / minute) * minute, to }])
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
