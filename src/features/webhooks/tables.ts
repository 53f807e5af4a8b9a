/** Events that wait to be sent to receivers, and how the last ones ended (specification 35.5, 35.8). */
import { sql } from 'kysely'
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
    await sql`create table ig_webhook (
      id ${text} not null, receiver ${text} not null, name ${text} not null, body text not null,
      created double precision not null, next double precision not null, attempts integer not null,
      ended double precision, outcome text, reason text,
      constraint ig_webhook_key primary key (id, receiver))`.execute(database)
    await database.schema.createIndex('ig_webhook_next').on('ig_webhook').columns(['ended', 'next']).execute()
  },
  times: [{ table: 'ig_webhook', times: { created: 0 }, with: { column: 'next', where: 'created' } }],
}
