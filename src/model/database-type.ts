/** Which of the databases a migration runs on. */
import { PostgresAdapter } from 'kysely'
import type { HandlerDatabase } from './handler-database.ts'

/**
 * The type of the database, for what only one of them has.
 * @example
 * ```ts
 * import { databaseType, type HandlerDatabase, sql } from 'integration-gateway'
 *
 * export const name = '0002-tags'
 *
 * export async function up(database: HandlerDatabase) {
 *   const type = databaseType(database) === 'POSTGRESQL' ? sql`jsonb` : sql`text`
 *   await database.schema.createTable('TAGGED').addColumn('TAGS', type).execute()
 * }
 * ```
 */
export function databaseType(database: HandlerDatabase): 'SQLITE' | 'POSTGRESQL' {
  return database.getExecutor().adapter instanceof PostgresAdapter ? 'POSTGRESQL' : 'SQLITE'
}
