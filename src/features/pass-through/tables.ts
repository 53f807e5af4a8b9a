/** What comparisons have found (specification 36.17). */
import { sql } from 'kysely'
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** What the comparisons of an operation's shadow have found; `details` is JSON. */
    ig_shadow: { operation_id: string; calls: number; differ: number; not_run: number; details: string }
  }
}

export const cacheTables: FeatureTables = {
  async create(database, { text }) {
    await sql`create table ig_shadow (
      operation_id ${text} primary key, calls double precision not null, differ double precision not null,
      not_run double precision not null, details text not null)`.execute(database)
  },
}
