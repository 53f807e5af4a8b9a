/** The tables of stored responses and of claims. */

import { deleteEvery } from '../../store/claim-times.ts'
import type { ColumnTypes } from '../../store/database.ts'
import type { FeatureTables } from '../../store/feature-tables.ts'
import type { IdempotencyStatements } from './contract.ts'
import { postgresStatements } from './postgres.ts'
import { sqliteStatements } from './sqlite.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** The first answer to a call with an Idempotency-Key. `key` is a digest of operator, operation and key. */
    ig_idempotency: {
      key: string
      /** Digest of the request. */
      request: string
      /** Epoch milliseconds of the database. */
      expires: number
      operator: string
      status: number
      /** Approximate bytes of the row. */
      size: number
      answer: Buffer
    }
    /** A call with such a key whose handler runs, until then: epoch milliseconds of the database. */
    ig_idempotency_claim: { key: string; owner: string; until: number }
  }
}

export function statementsFor({ dbType, prefix }: ColumnTypes): IdempotencyStatements {
  return dbType === 'POSTGRESQL' ? postgresStatements(prefix) : sqliteStatements
}

export const mainTables: FeatureTables = {
  async create(database, { text, bytes }) {
    await database.schema
      .createTable('ig_idempotency')
      .addColumn('key', text, (column) => column.primaryKey())
      .addColumn('request', text, (column) => column.notNull())
      .addColumn('expires', 'double precision', (column) => column.notNull())
      .addColumn('operator', text, (column) => column.notNull())
      .addColumn('status', 'integer', (column) => column.notNull())
      .addColumn('size', 'integer', (column) => column.notNull())
      .addColumn('answer', bytes, (column) => column.notNull()) // last: SQLite reads a row from its start
      .execute()
    await database.schema
      .createIndex('ig_idempotency_expires')
      .on('ig_idempotency')
      .columns(['expires', 'operator', 'size'])
      .execute()
  },
}

/** Claims: on SQLite no claim waits for a handler's transaction. */
export const cacheTables: FeatureTables = {
  async create(database, columnTypes) {
    for (const statement of statementsFor(columnTypes).createClaims) await statement.execute(database)
  },
  times: [{ table: 'ig_idempotency_claim', times: { until: deleteEvery } }],
}
