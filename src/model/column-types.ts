/** Types of columns that the databases spell differently (specification 5.60, 8.4). */
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

/** SQLite guarantees this number of decimal digits; more are stored as text. */
const exactDigits = 15

/**
 * The type of a column of decimal numbers with so many digits, `scale` of them behind the point: exact on both databases. What
 * Kysely's query builder or `insertRows` write with `databaseValues: 'portable'` is rounded to the scale, half away from zero, and refused with too many digits before the
 * point, as PostgreSQL does.
 *
 * Beyond 15 digits SQLite has texts, which it sorts and compares as such: there, write
 * `cast("PRICE" as numeric)` in `where` and `order by`, which means the same on PostgreSQL.
 * @param precision 1 to 1000 @param scale 0 to precision
 * @throws RangeError
 * @example
 * ```ts
 * import { decimalColumn, type HandlerDatabase } from 'integration-gateway'
 *
 * export const name = '0002-prices'
 *
 * export async function up(database: HandlerDatabase) {
 *   await database.schema
 *     .createTable('PRICES')
 *     .addColumn('ITEM', 'varchar(30)', (column) => column.primaryKey())
 *     .addColumn('PRICE', decimalColumn(database, 19, 4), (column) => column.notNull())
 *     .execute()
 * }
 * ```
 */
export function decimalColumn(database: HandlerDatabase, precision: number, scale: number): RawBuilder<unknown> {
  const isPrecision = Number.isInteger(precision) && precision >= 1 && precision <= 1000
  if (!isPrecision || !Number.isInteger(scale) || scale < 0 || scale > precision)
    throw new RangeError(
      `decimalColumn takes a precision of 1 to 1000 and a scale of 0 to that, not ${precision}, ${scale}`,
    )
  if (databaseType(database) === 'POSTGRESQL') return sql.raw(`numeric(${precision}, ${scale})`)
  return sql.raw(`exact_decimal${precision > exactDigits ? '_text' : ''}(${precision}, ${scale})`)
}
