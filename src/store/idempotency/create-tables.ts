/** The tables of stored responses and of claims. */
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'
import type { Tables } from '../tables.ts'

export async function createStoredResponses(database: Kysely<Tables>, { text, bytes }: ColumnTypes): Promise<void> {
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
}

/** After the stored responses. On SQLite in the file of the REST cache, where no claim waits for a handler's transaction. */
export async function createClaims(database: Kysely<Tables>, { idempotency }: ColumnTypes): Promise<void> {
  for (const statement of idempotency.createClaims) await statement.execute(database)
}
