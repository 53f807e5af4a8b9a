/** Events that wait to be sent to receivers, and how the last ones ended (specification 35.5, 35.8). */
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** An event for a receiver: times of the database in epoch milliseconds. */
    ig_webhook: {
      id: string
      receiver: string
      name: string
      body: string
      created: number
      next: number
      attempts: number
      ended: number | null
      outcome: string | null
      reason: string | null
    }
  }
}

export const cacheTables: FeatureTables = {
  async create(database, { text }) {
    await database.schema
      .createTable('ig_webhook')
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('receiver', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('created', 'double precision', (column) => column.notNull())
      .addColumn('next', 'double precision', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('ended', 'double precision')
      .addColumn('outcome', 'text')
      .addColumn('reason', 'text')
      .addPrimaryKeyConstraint('ig_webhook_key', ['id', 'receiver'])
      .execute()
    await database.schema.createIndex('ig_webhook_next').on('ig_webhook').columns(['ended', 'next']).execute()
  },
  times: [{ table: 'ig_webhook', times: { created: 0 }, with: { column: 'next', where: 'created' } }],
}
