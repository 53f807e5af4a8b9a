/**
 * The monitor's tables (specification 21). Low-cardinality values are combined to one number, the class: for every
 * filter few classes match, and an index has the transactions of each in order of time.
 */
import { sql } from 'kysely'
import type { CallOutcome } from '../../model/refusal.ts'
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
      outcome: CallOutcome
      refusal: string
      /** The step that answered or refused. */
      ended_by: Step
      node: string
      /** -1: refused before it was known. */
      is_cached: -1 | 0 | 1
      is_slow: 0 | 1
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
      timeline: string | null
      /** JSON. */
      messages: string | null
    }
    ig_monitor_loss: {
      minute: number
      instance: string
      reason: string
      is_error: 0 | 1
      transactions: number
    }
  }
}

export const separateTables: FeatureTables = {
  async create(database, { text, key }) {
    const { schema } = database
    await sql`create table ig_monitor_state (sequence bigint not null, written bigint not null)`.execute(database)
    await database.insertInto('ig_monitor_state').values({ sequence: 0, written: 0 }).execute()
    await sql`create table ig_monitor_class (
      id integer primary key, method ${text} not null, status integer not null, outcome ${text} not null,
      refusal ${text} not null, ended_by ${text} not null, node ${text} not null, is_cached integer not null,
      is_slow integer not null, duration_step integer not null)`.execute(database)
    // The longest column is last: SQLite reads a row from its start
    await sql`create table ig_monitor (
      sequence ${key} primary key, time bigint not null, class integer not null, operation ${text},
      operator ${text}, transaction_id ${text} not null, duration double precision not null,
      url text not null, reason text, remote_address text not null, revision bigint, instance text not null,
      written bigint not null, timeline text, messages text)`.execute(database)
    for (const [name, columns] of Object.entries(indexes))
      await schema
        .createIndex(`ig_monitor_by_${name}`)
        .on('ig_monitor')
        .columns([...columns, 'time', 'sequence'])
        .execute()
    await schema.createIndex('ig_monitor_by_id').on('ig_monitor').column('transaction_id').execute()
    await sql`create table ig_monitor_loss (
      minute bigint not null, instance ${text} not null, reason ${text} not null,
      is_error integer not null, transactions bigint not null,
      constraint ig_monitor_loss_key primary key (minute, instance, reason, is_error))`.execute(database)
  },
}

/** The first columns of each index. */
const indexes = {
  time: [],
  class: ['class'],
  operation: ['operation', 'class'],
  operator: ['operator', 'class'],
  operation_operator: ['operation', 'operator', 'class'],
} as const
