/** The keys of session tokens, and the tokens that are revoked (specification 27.6 to 27.13). */
import { sql } from 'kysely'
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
    await sql`create table ig_session_key (
      id ${text} primary key, public_key text not null, private_key text not null,
      created double precision not null, signs double precision not null, ends double precision)`.execute(database)
    await sql`create table ig_session_revoked (
      id ${text} primary key, expires double precision not null, changed bigint not null)`.execute(database)
  },
  times: [
    { table: 'ig_session_key', times: { signs: 0 }, epoch: 'operators' },
    { table: 'ig_session_generation', times: { time: 0 }, epoch: 'operators', changed: 'changed' },
  ],
}
