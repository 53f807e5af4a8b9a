/** The tables of stored responses and of claims. */

import { sql } from 'kysely'
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
    // The longest column is last: SQLite reads a row from its start
    await sql`create table ig_idempotency (
      key ${text} primary key, request ${text} not null, expires double precision not null,
      operator ${text} not null, status integer not null, size integer not null,
      answer ${bytes} not null)`.execute(database)
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
