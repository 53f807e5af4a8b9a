/** The callers of each operation since a given time, from the transactions in the monitor (specification 40.2). */
import type { Kysely } from 'kysely'
import type { RefusalCode } from '../../model/refusal.ts'
import type { Usage, UsageRow } from '../../model/usage.ts'
import type { Tables } from '../../store/tables.ts'
import { findNewest } from './newest.ts'

const maxRows = 20_000
const maxUrls = 5_000

export async function listUsage(reader: Kysely<Tables>, from: number): Promise<Usage> {
  const { after, reachBack } = await findNewest(reader, from)
  const recent = reader
    .selectFrom('ig_monitor')
    .innerJoin('ig_monitor_class', 'ig_monitor_class.id', 'ig_monitor.class')
    .where('sequence', '>', after)
    .where('time', '>=', from)
  const rows = await recent
    .select(({ fn }) => [
      'operation',
      'operator',
      'refusal',
      fn.countAll<number>().as('calls'),
      fn.max('time').as('last'),
    ])
    .where('operation', 'is not', null)
    .where('operation', 'not like', '%.upstream')
    .groupBy(['operation', 'operator', 'refusal'])
    .orderBy('calls', 'desc')
    .limit(maxRows)
    .execute()
  const urls = await recent
    .select(['method', 'url', 'time'])
    .where('refusal', '=', 'operationNotFound')
    .orderBy('sequence', 'desc')
    .limit(maxUrls)
    .execute()
  const passed = await recent
    .select(['method', 'url', 'time', 'operation', 'operator', 'refusal'])
    .where('operation', 'like', '%.upstream')
    .orderBy('sequence', 'desc')
    .limit(maxUrls)
    .execute()
  return {
    rows: rows.map(toRow),
    notFound: urls,
    passedOn: passed.map(({ method, url, time, ...row }) => {
      const { operation, operator, refusal, last } = toRow({ ...row, calls: 1, last: time })
      return { operation, operator, refusal, last, method, url }
    }),
    isComplete: rows.length < maxRows && urls.length < maxUrls && passed.length < maxUrls && reachBack,
  }
}

function toRow(row: {
  readonly operation: string | null
  readonly operator: string | null
  readonly refusal: string
  readonly calls: number | string
  readonly last: number
}): UsageRow {
  return {
    operation: row.operation ?? '',
    operator: row.operator ?? undefined,
    refusal: row.refusal === '' ? undefined : (row.refusal as RefusalCode),
    calls: Number(row.calls),
    last: row.last,
  }
}
