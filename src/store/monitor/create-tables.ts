/**
 * The monitor's tables (specification 21). Low-cardinality values are combined to one number, the class: for every
 * filter few classes match, and an index has the transactions of each in order of time.
 */
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'
import type { Tables } from '../tables.ts'

export async function createMonitor(database: Kysely<Tables>, { text, key }: ColumnTypes): Promise<void> {
  const { schema } = database
  await schema
    .createTable('ig_monitor_state')
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('written', 'bigint', (column) => column.notNull())
    .execute()
  await database.insertInto('ig_monitor_state').values({ sequence: 0, written: 0 }).execute()
  await schema
    .createTable('ig_monitor_class')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('method', text, (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('refusal', text, (column) => column.notNull())
    .addColumn('ended_by', text, (column) => column.notNull())
    .addColumn('node', text, (column) => column.notNull())
    .addColumn('is_cached', 'integer', (column) => column.notNull())
    .addColumn('has_failed', 'integer', (column) => column.notNull())
    .addColumn('duration_step', 'integer', (column) => column.notNull())
    .execute()
  await schema
    .createTable('ig_monitor')
    .addColumn('sequence', key, (column) => column.primaryKey())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('class', 'integer', (column) => column.notNull())
    .addColumn('operation', text)
    .addColumn('operator', text)
    .addColumn('transaction_id', text, (column) => column.notNull())
    .addColumn('duration', 'double precision', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('remote_address', 'text', (column) => column.notNull())
    .addColumn('revision', 'bigint')
    .addColumn('instance', 'text', (column) => column.notNull())
    .addColumn('written', 'bigint', (column) => column.notNull())
    .addColumn('messages', 'text') // last: SQLite reads a row from its start
    .execute()
  for (const [name, columns] of Object.entries(indexes))
    await schema
      .createIndex(`ig_monitor_by_${name}`)
      .on('ig_monitor')
      .columns([...columns, 'time', 'sequence'])
      .execute()
  await schema.createIndex('ig_monitor_by_id').on('ig_monitor').column('transaction_id').execute()
  await schema
    .createTable('ig_monitor_loss')
    .addColumn('minute', 'bigint', (column) => column.notNull())
    .addColumn('instance', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('has_failed', 'integer', (column) => column.notNull())
    .addColumn('transactions', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ig_monitor_loss_key', ['minute', 'instance', 'reason', 'has_failed'])
    .execute()
}

/** The first columns of each index. */
const indexes = {
  time: [],
  class: ['class'],
  operation: ['operation', 'class'],
  operator: ['operator', 'class'],
  operator_operation: ['operator', 'operation', 'class'],
} as const
