/**
 * Stored times that lie in the future, because a clock was ahead and is right again: they count as now, and cached
 * responses made then are deleted (specification 17.10).
 */
import { type RawBuilder, sql } from 'kysely'
import { listTables } from '../features.ts'
import type { Database } from './database.ts'
import { nextEpoch } from './epoch.ts'
import type { Databases, StoredTimes } from './feature-tables.ts'
import { type DatabaseTransaction, inTransaction } from './transaction.ts'

/** Milliseconds: less is the difference of two clocks. */
export const clockTolerance = 10_000
/** Milliseconds for its turn, and in total. */
const wait = 5_000
const limit = 10_000

const ofStore = timesOf('main')

const ofCache: readonly StoredTimes[] = [{ table: 'ig_instance', times: { seen: 0 } }, ...timesOf('cache')]

function timesOf(place: keyof Databases): readonly StoredTimes[] {
  return listTables(place).flatMap(({ times = [] }) => times)
}

/** @param now of the database, in epoch milliseconds @returns how many rows had such times */
export async function correctFutureTimes({ main, cache }: Databases, now: number): Promise<number> {
  return (await correctIn(main, ofStore, now)) + (await correctIn(cache, ofCache, now))
}

/** Reads first: at most starts there is nothing to write, and a write would keep the only writer of SQLite from others. */
async function correctIn(database: Database, rules: readonly StoredTimes[], now: number): Promise<number> {
  const time = timeOf(database, now)
  const due: StoredTimes[] = []
  for (const rule of rules) if (await hasFuture(database.reader, rule, time)) due.push(rule)
  if (due.length === 0) return 0
  const correctAll = async (transaction: DatabaseTransaction) => {
    let rows = 0
    for (const rule of due) rows += await correct(transaction, rule, time)
    return rows
  }
  return inTransaction(database, correctAll, wait, limit)
}

/** The later of the two clocks: this machine's may just have been set, and not been compared with the database's yet. */
function timeOf({ columnTypes }: Database, now: number): RawBuilder<number> {
  const { clock } = columnTypes
  return sql<number>`case when ${now} > ${clock} then ${now} else ${clock} end`
}

function isFuture({ times, isDeleted }: StoredTimes, column: string, time: RawBuilder<number>) {
  const latest = sql<number>`${time} + ${(times[column] ?? 0) + clockTolerance}`
  return sql<boolean>`${sql.ref(column)} > ${isDeleted ? sql`(${latest}) * 1000` : latest}`
}

function anyFuture(rule: StoredTimes, time: RawBuilder<number>): RawBuilder<boolean> {
  const each = Object.keys(rule.times).map((column) => isFuture(rule, column, time))
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}

async function hasFuture(reader: DatabaseTransaction, rule: StoredTimes, time: RawBuilder<number>): Promise<boolean> {
  const found = reader.selectFrom(rule.table).select(sql`1`.as('one')).where(anyFuture(rule, time)).limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

async function correct(transaction: DatabaseTransaction, rule: StoredTimes, time: RawBuilder<number>): Promise<number> {
  const { table, times } = rule
  if (rule.isDeleted) {
    const deleted = await transaction.deleteFrom(table).where(anyFuture(rule, time)).executeTakeFirst()
    return Number(deleted.numDeletedRows)
  }
  const corrected = (column: string, where = column) =>
    sql`case when ${isFuture(rule, where, time)} and ${sql.ref(column)} is not null then ${time} + ${times[column] ?? 0} else ${sql.ref(column)} end`
  const values = Object.keys(times).map((column) => [column, corrected(column)])
  if (rule.with) values.push([rule.with.column, corrected(rule.with.column, rule.with.where)])
  if (rule.version !== undefined) values.push([rule.version, sql`${sql.ref(rule.version)} + 1`])
  const epoch = rule.epoch && (await nextEpoch(transaction, rule.epoch))
  if (rule.changed) values.push([rule.changed, sql`${epoch}`])
  const { numUpdatedRows } = await transaction
    .updateTable(table)
    .set(Object.fromEntries(values))
    .where(anyFuture(rule, time))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
