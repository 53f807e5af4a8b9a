/** What comparisons have found (specification 36.17). */
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** What the comparisons of an operation's shadow have found; `details` is JSON. */
    ig_shadow: { operation_id: string; calls: number; differ: number; not_run: number; details: string }
  }
}

export const cacheTables: FeatureTables = {
  async create(database, { text }) {
    await database.schema
      .createTable('ig_shadow')
      .addColumn('operation_id', text, (column) => column.primaryKey())
      .addColumn('calls', 'double precision', (column) => column.notNull())
      .addColumn('differ', 'double precision', (column) => column.notNull())
      .addColumn('not_run', 'double precision', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .execute()
  },
}
