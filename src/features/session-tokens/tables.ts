/** The keys of session tokens, and the tokens that are revoked (specification 27.6 to 27.13). */
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** Key pairs of session tokens. Times here are epoch milliseconds of the database. */
    ig_session_key: {
      id: string
      public_key: string
      private_key: string
      created: number
      signs: number
      ends: number | null
    }
    ig_session_revoked: { id: string; expires: number; changed: number }
  }
}

export const mainTables: FeatureTables = {
  async create(database, { text }) {
    await database.schema
      .createTable('ig_session_key')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('private_key', 'text', (column) => column.notNull())
      .addColumn('created', 'double precision', (column) => column.notNull())
      .addColumn('signs', 'double precision', (column) => column.notNull())
      .addColumn('ends', 'double precision')
      .execute()
    await database.schema
      .createTable('ig_session_revoked')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('expires', 'double precision', (column) => column.notNull())
      .addColumn('changed', 'bigint', (column) => column.notNull())
      .execute()
  },
  times: [
    { table: 'ig_session_key', times: { signs: 0 }, epoch: 'operators' },
    { table: 'ig_session_generation', times: { time: 0 }, epoch: 'operators', changed: 'changed' },
  ],
}
