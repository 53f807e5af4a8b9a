/** What is spent of limits (specification 25.7). */
import { sql } from 'kysely'
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
    await sql`create table ig_limit (
      limit_name ${text} not null, subject ${text} not null, start double precision not null,
      spent double precision not null, refused double precision,
      constraint ig_limit_key primary key (limit_name, subject))`.execute(database)
  },
  times: [{ table: 'ig_limit', times: { start: 0, refused: 0 } }],
}
