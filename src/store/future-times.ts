/**
 * Stored times that lie in the future, because a clock was ahead and is right again: they count as now, and cached
 * responses made then are deleted (specification 17.10).
 */
import { type RawBuilder, sql } from 'kysely'
import { lease } from './claim-times.ts'
import type { Database } from './database.ts'
import { leaseTime } from './jobs/jobs.ts'
import type { Tables } from './tables.ts'
import { inTransaction } from './transaction.ts'

/** Milliseconds: less is the difference of two clocks. */
export const clockTolerance = 10_000
/** Milliseconds for its turn, and in total. */
const wait = 5_000
const limit = 10_000

interface Rule {
  readonly table: 'ig_job' | 'ig_rest_cache_claim' | 'ig_idempotency_claim' | 'ig_instance' | 'ig_webhook' | 'ig_limit'
  /** Columns, and how far ahead each may be, in milliseconds. */
  readonly times: Readonly<Record<string, number>>
  /** Another column that counts as now where the first is in the future: how far ahead it may be is not limited. */
  readonly with?: { readonly column: string; readonly where: string }
}

const ofStore: readonly Rule[] = [
  {
    table: 'ig_job',
    times: { last: 0, begun: 0, ended: 0, requested: 0, until: leaseTime },
    with: { column: 'retry', where: 'ended' },
  },
]

const ofCache: readonly Rule[] = [
  { table: 'ig_rest_cache_claim', times: { until: lease } },
  { table: 'ig_idempotency_claim', times: { until: lease } },
  { table: 'ig_instance', times: { seen: 0 } },
  { table: 'ig_webhook', times: { created: 0 }, with: { column: 'next', where: 'created' } },
  { table: 'ig_limit', times: { start: 0, refused: 0 } },
]

/** @param now of the database, in epoch milliseconds @returns how many rows had such times */
export async function correctFutureTimes(own: Database, cache: Database, now: number): Promise<number> {
  const ofOwn = await inTransaction(
    own,
    (transaction) => correctAll(transaction, ofStore, timeOf(own, now)),
    wait,
    limit,
  )
  const correctCache = async (transaction: Transaction) => {
    const time = timeOf(cache, now)
    const future = sql<number>`(${time} + ${clockTolerance}) * 1000`
    const made = await transaction.deleteFrom('ig_rest_cache').where('stored', '>', future).executeTakeFirst()
    return Number(made.numDeletedRows) + (await correctAll(transaction, ofCache, time))
  }
  return ofOwn + (await inTransaction(cache, correctCache, wait, limit))
}

type Transaction = Database['reader']

/** The later of the two clocks: this machine's may just have been set, and not been compared with the database's yet. */
function timeOf({ columnTypes }: Database, now: number): RawBuilder<number> {
  const { clock } = columnTypes.jobs
  return sql<number>`case when ${now} > ${clock} then ${now} else ${clock} end`
}

async function correctAll(transaction: Transaction, rules: readonly Rule[], time: RawBuilder<number>): Promise<number> {
  let rows = 0
  for (const rule of rules) rows += await correct(transaction, rule, time)
  return rows
}

async function correct(transaction: Transaction, rule: Rule, time: RawBuilder<number>): Promise<number> {
  const { table, times } = rule
  const isFuture = (column: string) =>
    sql<boolean>`${sql.ref(column)} > ${time} + ${(times[column] ?? 0) + clockTolerance}`
  const corrected = (column: string, where = column) =>
    sql`case when ${isFuture(where)} and ${sql.ref(column)} is not null then ${time} + ${times[column] ?? 0} else ${sql.ref(column)} end`
  const values = Object.keys(times).map((column) => [column, corrected(column)])
  if (rule.with) values.push([rule.with.column, corrected(rule.with.column, rule.with.where)])
  if (table === 'ig_job') values.push(['version', sql`version + 1`])
  const { numUpdatedRows } = await transaction
    .updateTable(table as keyof Tables)
    .set(Object.fromEntries(values))
    .where(({ or }) => or(Object.keys(times).map(isFuture)))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
