/** A column type that the databases spell differently (specification 8.4). */
import { type RawBuilder, sql } from 'kysely'
import { databaseType } from './database-type.ts'
import type { HandlerDatabase } from './handler-database.ts'

/**
 * The type of a primary key that numbers the rows in the order of their insertion, on either database. Omit the column
 * when you insert rows.
 * @example
 * ```ts
 * import { type HandlerDatabase, identityColumn } from 'integration-gateway'
 *
 * export const name = '0001-visits'
 *
 * export async function up(database: HandlerDatabase) {
 *   await database.schema
 *     .createTable('VISITS')
 *     .addColumn('VISIT_NBR', identityColumn(database))
 *     .addColumn('OPRID', 'varchar(30)', (column) => column.notNull())
 *     .execute()
 * }
 * ```
 */
export function identityColumn(database: HandlerDatabase): RawBuilder<unknown> {
  const isPostgres = databaseType(database) === 'POSTGRESQL'
  return isPostgres ? sql`bigint generated always as identity primary key` : sql`integer primary key`
}
