/** The tables of session tokens. */
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'
import type { Tables } from '../tables.ts'

export async function createSessionTokens(database: Kysely<Tables>, { text }: ColumnTypes): Promise<void> {
  await database.schema
    .createTable('ig_session_key')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('private_key', 'text', (column) => column.notNull())
    .addColumn('created', 'double precision', (column) => column.notNull())
    .addColumn('signs', 'double precision', (column) => column.notNull())
    .addColumn('ends', 'double precision')
    .execute()
  await database.schema
    .createTable('ig_session_revoked')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('expires', 'double precision', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute()
}
