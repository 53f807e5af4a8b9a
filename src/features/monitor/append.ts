/** Appends a batch of transactions in one transaction of its own (specification 21.4). */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/database.ts'
import type { Tables } from '../../store/tables.ts'
import { inTransaction } from '../../store/transaction.ts'
import { durationStepOf, type Loss, type MonitorBatch, type MonitoredTransaction } from './monitored-transaction.ts'

type Column = keyof Tables['ig_monitor']
type Class = Omit<Tables['ig_monitor_class'], 'id'>
/** The numbers of known classes, by `keyOf`. */
export type KnownClasses = ReadonlyMap<string, number>

/** Waiting for its turn, and in total, in milliseconds. */
const wait = 5_000
const limit = 10_000
/** Bytes of a row without its texts, including its index entries. */
const rowSize = 350

/** @returns the known classes afterwards */
export async function appendBatch(
  database: Database,
  { transactions, losses, isRepeated }: MonitorBatch,
  known: KnownClasses,
): Promise<KnownClasses> {
  const work = async (transaction: Parameters<Parameters<typeof inTransaction>[1]>[0]) => {
    const rows = transactions.map((each) => ({ ...writeTexts(each), each, class: classOf(each) }))
    const sizes = rows.map(({ each, timeline, messages }) => {
      return rowSize + each.url.length + (timeline?.length ?? 0) + (messages?.length ?? 0)
    })
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    const next = await takeNumbers(transaction, rows.length, bytes) // locked: this transaction is now the only writer
    if (!next) await beginAnew(database, transaction)
    const end = next ??
      (await takeNumbers(transaction, rows.length, bytes)) ?? { sequence: rows.length, written: bytes }
    if (isRepeated) await forget(transaction, transactions)
    const missing = !next || rows.some(({ class: own }) => !known.has(keyOf(own)))
    const classes = missing
      ? await addClasses(
          transaction,
          rows.map((row) => row.class),
        )
      : known
    let sequence = end.sequence - rows.length
    let written = end.written - bytes
    const inserted = rows.map(({ each, class: own, timeline, messages }, index): Record<Column, unknown> => {
      sequence += 1
      written += sizes[index] ?? 0
      return {
        sequence,
        time: each.time,
        class: classes.get(keyOf(own)),
        operation: each.operation,
        operator: each.operator,
        transaction_id: each.transactionId,
        duration: each.durationMs,
        url: each.url,
        reason: each.reason,
        remote_address: each.remoteAddress,
        revision: each.revision,
        instance: each.instance,
        written,
        timeline,
        messages,
      }
    })
    const columns = Object.keys(inserted[0] ?? {})
    const values = inserted.map((row) => Object.values(row))
    await transaction.insertRows('ig_monitor', columns, values)
    await addLosses(transaction, losses)
    return classes
  }
  return inTransaction(database, work, wait, limit)
}

function classOf(transaction: MonitoredTransaction): Class {
  const { method, httpStatus, outcome, refusal = '', endedBy, node = '', isCached, isSlow, durationMs } = transaction
  return {
    method,
    status: httpStatus,
    outcome,
    refusal,
    ended_by: endedBy,
    node,
    is_cached: isCached === undefined ? -1 : isCached ? 1 : 0,
    is_slow: isSlow ? 1 : 0,
    duration_step: durationStepOf(durationMs),
  }
}

function keyOf({ method, status, outcome, refusal, ended_by, node, is_cached, is_slow, duration_step }: Class): string {
  return `${method} ${status} ${outcome} ${refusal} ${ended_by} ${is_cached} ${is_slow} ${duration_step} ${node}`
}

function writeTexts({ timeline, messages }: MonitoredTransaction) {
  return { timeline: timeline && JSON.stringify(timeline), messages: messages && JSON.stringify(messages) }
}

async function takeNumbers(transaction: Kysely<Tables>, rows: number, bytes: number) {
  return transaction
    .updateTable('ig_monitor_state')
    .set((expression) => ({
      sequence: expression('sequence', '+', rows),
      written: expression('written', '+', bytes),
    }))
    .returning(['sequence', 'written'])
    .executeTakeFirst()
}

/** A database restored without the monitor's rows has lost the last number, too. One process recreates it. */
async function beginAnew(database: Database, transaction: Kysely<Tables>): Promise<void> {
  await database.lockMigrations(transaction)
  const made = await transaction.selectFrom('ig_monitor_state').select('sequence').executeTakeFirst()
  if (made) return
  const last = transaction.selectFrom('ig_monitor').select(['sequence', 'written']).orderBy('sequence', 'desc').limit(1)
  const values = (await last.executeTakeFirst()) ?? { sequence: 0, written: 0 }
  await transaction.insertInto('ig_monitor_state').values(values).execute()
}

async function forget(transaction: Kysely<Tables>, transactions: readonly MonitoredTransaction[]): Promise<void> {
  if (transactions.length === 0) return
  const ids = transactions.map(({ transactionId }) => transactionId)
  await transaction.deleteFrom('ig_monitor').where('transaction_id', 'in', ids).execute()
}

/** Other processes may add some as well. */
async function addClasses(transaction: Kysely<Tables>, wanted: readonly Class[]): Promise<KnownClasses> {
  const rows = await transaction.selectFrom('ig_monitor_class').selectAll().execute()
  const classes = new Map(rows.map(({ id, ...own }) => [keyOf(own), id]))
  let last = Math.max(0, ...classes.values())
  for (const own of wanted) {
    if (classes.has(keyOf(own))) continue
    last += 1
    await transaction
      .insertInto('ig_monitor_class')
      .values({ id: last, ...own })
      .execute()
    classes.set(keyOf(own), last)
  }
  return classes
}

async function addLosses(transaction: Kysely<Tables>, losses: readonly Loss[]): Promise<void> {
  for (const { isError, ...loss } of losses)
    await transaction
      .insertInto('ig_monitor_loss')
      .values({ ...loss, is_error: isError ? 1 : 0 })
      .onConflict((conflict) =>
        conflict.columns(['minute', 'instance', 'reason', 'is_error']).doUpdateSet((expression) => ({
          transactions: expression('ig_monitor_loss.transactions', '+', loss.transactions),
        })),
      )
      .execute()
}
