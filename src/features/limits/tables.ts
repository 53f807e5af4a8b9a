/** What is spent of limits (specification 25.7). */
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /**
     * What is spent of a limit: everything will be free again at `start` + `spent`, a time of the database; `spent` is
     * the sum of all that ever was, in milliseconds.
     */
    ig_limit: { limit_name: string; subject: string; start: number; spent: number; refused: number | null }
  }
}

export const cacheTables: FeatureTables = {
  async create(database, { text }) {
    await database.schema
      .createTable('ig_limit')
      .addColumn('limit_name', text, (column) => column.notNull())
      .addColumn('subject', text, (column) => column.notNull())
      .addColumn('start', 'double precision', (column) => column.notNull())
      .addColumn('spent', 'double precision', (column) => column.notNull())
      .addColumn('refused', 'double precision')
      .addPrimaryKeyConstraint('ig_limit_key', ['limit_name', 'subject'])
      .execute()
  },
  times: [{ table: 'ig_limit', times: { start: 0, refused: 0 } }],
}
