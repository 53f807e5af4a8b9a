/** The counters of the last minutes, and the history of metrics (specification 20.9, 43.1). */
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** Counters of an instance for a few seconds. */
    ig_instance_step: { time: number; instance: string; counts: string }
    /** Calls of a minute or an hour; `details` is JSON. */
    ig_metric: {
      resolution: number
      time: number
      operation: string
      writer: string
      calls: number
      refused: number
      failed: number
      seconds: number
      longest: number
      details: string
    }
  }
}

export const cacheTables: FeatureTables = {
  async create(database, { text }) {
    await database.schema
      .createTable('ig_instance_step')
      .addColumn('time', 'bigint', (column) => column.notNull())
      .addColumn('instance', text, (column) => column.notNull())
      .addColumn('counts', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('ig_instance_step_key', ['time', 'instance'])
      .execute()
    await database.schema
      .createTable('ig_metric')
      .addColumn('resolution', 'integer', (column) => column.notNull())
      .addColumn('time', 'bigint', (column) => column.notNull())
      .addColumn('operation', text, (column) => column.notNull())
      .addColumn('writer', text, (column) => column.notNull())
      .addColumn('calls', 'double precision', (column) => column.notNull())
      .addColumn('refused', 'double precision', (column) => column.notNull())
      .addColumn('failed', 'double precision', (column) => column.notNull())
      .addColumn('seconds', 'double precision', (column) => column.notNull())
      .addColumn('longest', 'double precision', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('ig_metric_key', ['resolution', 'time', 'operation', 'writer'])
      .execute()
    await database.schema
      .createIndex('ig_metric_operation')
      .on('ig_metric')
      .columns(['operation', 'resolution', 'time'])
      .execute()
  },
}
