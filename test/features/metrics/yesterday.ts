/** Figures of calls that were yesterday. */
import { openMetricRows } from '../../../src/features/metrics/rows.ts'
import type { Databases } from '../../../src/store/feature-tables.ts'
import { reportOf, writeMinutes } from './minutes.ts'

/** Two hours of two operations, at noon, from an instance that is no more. */
export async function writeYesterday(databases: Databases): Promise<void> {
  const day = 24 * 3_600_000
  const noon = Math.floor(Date.now() / day) * day - day / 2
  const slow = reportOf('SLOW_GET.v1', 1, { code: 503, seconds: 2, longest: 3, outcome: 'failed', buckets: [29, 1] })
  const callers = [{ operation: 'SLOW_GET.v1', operator: 'DEMO', count: 1 }]
  const reports = [{ ...slow, callers }, reportOf('FAST_GET.v1', 1, { code: 200, seconds: 0.001 })]
  const rows = await writeMinutes(noon, Array(120).fill(reports))
  await openMetricRows(databases).write('gone.example:8080/x', rows, Date.now())
}

/** Twenty minutes of METADATA, a day ago. */
export async function writeDayBefore(databases: Databases): Promise<void> {
  await writeTwentyMinutes(databases, 1450)
}

/** Twenty minutes of METADATA, half an hour ago: the calls of this minute are in the last hour when it has ended. */
export async function writeHalfHourBefore(databases: Databases): Promise<void> {
  await writeTwentyMinutes(databases, 40)
}

async function writeTwentyMinutes(databases: Databases, minutesAgo: number): Promise<void> {
  const begin = Math.floor(Date.now() / 60_000 - minutesAgo) * 60_000
  const rows = await writeMinutes(begin, Array(20).fill([reportOf('METADATA_GET.v1', 60)]))
  await openMetricRows(databases).write('gone.example:8080/x', rows, Date.now())
}
