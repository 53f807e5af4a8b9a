/** Rows of the history of metrics, as a process writes them. */
import type { MetricRow } from '../../../src/features/metrics/metric-row.ts'
import { openMinutes } from '../../../src/features/metrics/minutes.ts'
import type { Report } from '../../../src/observe/metrics/report.ts'

export function reportOf(operation: string, calls: number, more: Partial<Report['calls'][number]> = {}): Report {
  const call = {
    operation,
    method: 'GET',
    status: '2xx',
    cache: 'none',
    outcome: 'served',
    count: calls,
    seconds: calls / 1000,
    slow: 0,
    longest: 0.001,
    buckets: [8, calls],
    ...more,
  } as const
  return { worker: 0, calls: [call], refusals: [], counters: {}, gauges: {} }
}

/** The rows that a process writes from minute to minute, each a count of calls. */
export async function writeMinutes(
  from: number,
  minutes: readonly Report[][],
  hasObjective?: (operation: string) => boolean,
): Promise<readonly MetricRow[]> {
  let now = from
  const kept = openMinutes(() => now, hasObjective)
  await kept.due()
  for (const reports of minutes) {
    for (const report of reports) kept.add(report)
    now += 60_000
    await kept.due()
  }
  return kept.due()
}
