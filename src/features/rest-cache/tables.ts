/** Cached responses, the generations of their operations, and claims to run a handler. */
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
    await database.schema
      .createTable('ig_rest_cache_generation')
      .addColumn('operation_id', text, (column) => column.primaryKey())
      .addColumn('generation', 'bigint', (column) => column.notNull())
      .addColumn('changed', 'bigint', (column) => column.notNull())
      .execute()
    await database.schema
      .createTable('ig_rest_cache')
      .addColumn('key', text, (column) => column.primaryKey())
      .addColumn('operation_id', text, (column) => column.notNull())
      .addColumn('generation', 'bigint', (column) => column.notNull())
      .addColumn('expires', 'double precision', (column) => column.notNull())
      .addColumn('status', 'integer', (column) => column.notNull())
      .addColumn('headers', 'text', (column) => column.notNull())
      .addColumn('stored', 'bigint', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('url', 'text')
      .addColumn('operator', text)
      .addColumn('body', bytes, (column) => column.notNull()) // last: SQLite reads a row from its start
      .execute()
    await database.schema.createIndex('ig_rest_cache_operation').on('ig_rest_cache').column('operation_id').execute()
    await database.schema.createIndex('ig_rest_cache_expires').on('ig_rest_cache').column('expires').execute()
    await database.schema.createIndex('ig_rest_cache_stored').on('ig_rest_cache').columns(['stored', 'size']).execute()
    await database.schema
      .createTable('ig_rest_cache_claim')
      .addColumn('key', text, (column) => column.primaryKey())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('until', 'double precision', (column) => column.notNull())
      .execute()
  },
  times: [
    { table: 'ig_rest_cache', times: { stored: 0 }, isDeleted: true },
    { table: 'ig_rest_cache_claim', times: { until: lease } },
  ],
}
