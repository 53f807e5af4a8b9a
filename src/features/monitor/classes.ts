/** The classes of transactions that a filter matches (specification 21.8): few, whatever the monitor keeps. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import { durationSteps, type MonitorFilter } from './monitored-transaction.ts'

type Reader = Kysely<Tables>

const fields = [
  'isError',
  'outcome',
  'httpStatus',
  'refusal',
  'method',
  'node',
  'isCached',
  'isSlow',
  'durationMs',
] as const satisfies readonly (keyof MonitorFilter)[]

export function hasClassFilter(filter: MonitorFilter): boolean {
  return fields.some((field) => filter[field] !== undefined)
}

export async function findClasses(reader: Reader, filter: MonitorFilter): Promise<readonly number[]> {
  if (!hasClassFilter(filter)) return []
  const rows = await ofClasses(reader, filter).select('id').execute()
  return rows.map(({ id }) => id)
}

/** As `isError` of a transaction. */
const isErrorRow = sql<boolean>`(refusal <> '' or status >= 400)`

export function ofClasses(reader: Reader, filter: MonitorFilter) {
  const { isError, outcome, httpStatus, refusal, method, node, isCached, isSlow, durationMs } = filter
  let classes = reader.selectFrom('ig_monitor_class')
  if (isError !== undefined) classes = classes.where(isErrorRow, '=', sql.lit(isError))
  if (outcome !== undefined) classes = classes.where('outcome', '=', outcome)
  if (httpStatus !== undefined) classes = classes.where('status', '=', httpStatus)
  if (refusal !== undefined) classes = classes.where('refusal', '=', refusal)
  if (method !== undefined) classes = classes.where('method', '=', method)
  if (node !== undefined) classes = classes.where('node', '=', node)
  if (isCached !== undefined) classes = classes.where('is_cached', '=', isCached ? 1 : 0)
  if (isSlow !== undefined) classes = classes.where('is_slow', '=', isSlow ? 1 : 0)
  if (durationMs === undefined) return classes
  const steps = durationSteps.filter((step) => step <= durationMs).length
  return classes.where('duration_step', '>=', steps)
}
