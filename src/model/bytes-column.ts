/** A column type that the databases spell differently (specification 5.72). */
import { type RawBuilder, sql } from 'kysely'
import { databaseType } from './database-type.ts'
import type { HandlerDatabase } from './handler-database.ts'

/**
 * The type of a column of bytes, on either database: `bytea` on PostgreSQL, `blob` on SQLite. Its values are Buffers.
 * @example
 * ```ts
 * import { bytesColumn, type HandlerDatabase } from 'integration-gateway'
 *
 * export const name = '0002-photos'
 *
 * export async function up(database: HandlerDatabase) {
 *   await database.schema
 *     .createTable('PHOTOS')
 *     .addColumn('NAME', 'varchar(60)', (column) => column.primaryKey())
 *     .addColumn('PHOTO', bytesColumn(database), (column) => column.notNull())
 *     .execute()
 * }
 * ```
 */
export function bytesColumn(database: HandlerDatabase): RawBuilder<unknown> {
  return databaseType(database) === 'POSTGRESQL' ? sql`bytea` : sql`blob`
}
