/**
 * The monitor's tables (specification 21). Low-cardinality values are combined to one number, the class: for every
 * filter few classes match, and an index has the transactions of each in order of time.
 */
import type { Step } from '../../model/step.ts'
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** One row: the last number, and the bytes of all rows ever written; a writer locks it until it commits. */
    ig_monitor_state: { sequence: number; written: number }
    /** Low-cardinality values of transactions, each combination once. The empty string means none. */
    ig_monitor_class: {
      id: number
      method: string
      status: number
      refusal: string
      /** The step that answered or refused. */
      ended_by: Step
      node: string
      /** -1: refused before it was known. */
      is_cached: -1 | 0 | 1
      has_failed: 0 | 1
      duration_step: number
    }
    ig_monitor: {
      /** Becomes visible in order. */
      sequence: number
      time: number
      class: number
      operation: string | null
      operator: string | null
      transaction_id: string
      duration: number
      url: string
      reason: string | null
      remote_address: string
      revision: number | null
      instance: string
      /** `written` of the state, including this row. */
      written: number
      /** JSON. */
      messages: string | null
    }
    ig_monitor_loss: {
      minute: number
      instance: string
      reason: string
      has_failed: 0 | 1
      transactions: number
    }
  }
}

export const separateTables: FeatureTables = {
  async create(database, { text, key }) {
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
  },
}

/** The first columns of each index. */
const indexes = {
  time: [],
  class: ['class'],
  operation: ['operation', 'class'],
  operator: ['operator', 'class'],
  operator_operation: ['operator', 'operation', 'class'],
} as const
