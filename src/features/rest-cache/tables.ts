/** Cached responses, the generations of their operations, and claims to run a handler. */
import { sql } from 'kysely'
import { lease } from '../../store/claim-times.ts'
import { createEpoch } from '../../store/epoch.ts'
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    ig_rest_cache_generation: { operation_id: string; generation: number; changed: number }
    /** The process that runs the handler for all, until then: epoch milliseconds of the database. */
    ig_rest_cache_claim: { key: string; owner: string; until: number }
    ig_rest_cache: {
      key: string
      operation_id: string
      generation: number
      /** Epoch milliseconds of the database. */
      expires: number
      /** 0: deleted; the mark of an earlier entry. */
      status: number
      /** JSON: name, value… */
      headers: string
      /** Microseconds of the database, or more: it increases with every stored entry, so it is the order of age. */
      stored: number
      size: number
      body: Buffer
      /** The URL as sent, for views of the cache. */
      url: string | null
      /** Its operator, if the operation's cache key policy is per operator. */
      operator: string | null
    }
  }
}

export const cacheTables: FeatureTables = {
  async create(database, columnTypes) {
    const { text, bytes } = columnTypes
    await createEpoch(database, columnTypes, 'cacheGenerations')
    await sql`create table ig_rest_cache_generation (
      operation_id ${text} primary key, generation bigint not null, changed bigint not null)`.execute(database)
    // The longest column is last: SQLite reads a row from its start
    await sql`create table ig_rest_cache (
      key ${text} primary key, operation_id ${text} not null, generation bigint not null,
      expires double precision not null, status integer not null, headers text not null,
      stored bigint not null, size bigint not null, url text, operator ${text},
      body ${bytes} not null)`.execute(database)
    await database.schema.createIndex('ig_rest_cache_operation').on('ig_rest_cache').column('operation_id').execute()
    await database.schema.createIndex('ig_rest_cache_expires').on('ig_rest_cache').column('expires').execute()
    await database.schema.createIndex('ig_rest_cache_stored').on('ig_rest_cache').columns(['stored', 'size']).execute()
    await sql`create table ig_rest_cache_claim (
      key ${text} primary key, owner ${text} not null, until double precision not null)`.execute(database)
  },
  times: [
    { table: 'ig_rest_cache', times: { stored: 0 }, isDeleted: true },
    { table: 'ig_rest_cache_claim', times: { until: lease } },
  ],
}
