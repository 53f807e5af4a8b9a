/** What exceeds a threshold now: calls of the last five minutes, instances of the last three (specification 43.7). */
import type { WrittenRow } from './metric-row.ts'
import type { InstanceDetails } from './minutes.ts'
import type { OperationFigures } from './overview.ts'

export interface Thresholds {
  /** Percent of the calls of an operation that were not refused. */
  readonly failures: number | undefined
  /** Milliseconds, of the 95th percentile. */
  readonly latency: number | undefined
  /** Milliseconds that the event loop is late. */
  readonly delay: number | undefined
  /** Bytes of all processes of an instance. */
  readonly memory: number | undefined
}

export interface MetricAlert {
  readonly kind: keyof Thresholds
  readonly operation: string | null
  readonly instance: string | null
  /** The value in the unit of its threshold. */
  readonly value: number
  readonly threshold: number
}

/** Fewer calls say little about an operation. */
const leastCalls = 20

/** @param rows of all calls, of the last minutes */
export function findAlerts(
  operations: readonly OperationFigures[],
  rows: readonly WrittenRow[],
  thresholds: Thresholds,
): readonly MetricAlert[] {
  const { failures, latency, delay, memory } = thresholds
  const alerts: MetricAlert[] = []
  const check = (
    kind: keyof Thresholds,
    subject: Partial<MetricAlert>,
    value: number,
    threshold: number | undefined,
  ) => {
    if (threshold !== undefined && value > threshold)
      alerts.push({ kind, operation: null, instance: null, ...subject, value, threshold })
  }
  for (const { operation, calls, refused, failureRate, p95 } of operations) {
    if (calls - refused < leastCalls || operation.startsWith('(')) continue
    check('failures', { operation }, (failureRate ?? 0) * 100, failures)
    check('latency', { operation }, p95 ?? 0, latency)
  }
  for (const [instance, own] of Map.groupBy(rows, (row) => row.instance)) {
    const details = own.map((row) => JSON.parse(row.details) as InstanceDetails)
    if (details.length < 3) continue
    check('delay', { instance }, Math.min(...details.map((each) => each.delay * 1000)), delay)
    check('memory', { instance }, Math.min(...details.map((each) => each.memory)), memory)
  }
  return alerts
}
