/**
 * Types of expressions, which neither database tells of SQL such as `sum(PRICE)`: a cast on PostgreSQL, a mark behind
 * the expression on SQLite, which its results are read by (specification 5.60).
 */
import { type Expression, type RawBuilder, sql } from 'kysely'

/**
 * States that an expression is a decimal number. With `databaseValues: 'portable'` it is read as a string without
 * exponent or trailing zeros, on either database; of what SQLite has calculated, 15 digits.
 * @example
 * ```ts
 * import { asDecimal, type HandlerDatabase } from 'integration-gateway'
 *
 * export async function sumUp(database: HandlerDatabase<{ STOCK: { PRICE: string } }>) {
 *   const { total } = await database
 *     .selectFrom('STOCK')
 *     .select(({ fn }) => asDecimal<string | null>(fn.sum('PRICE')).as('total'))
 *     .executeTakeFirstOrThrow()
 *   return total // '12.5'
 * }
 * ```
 */
export function asDecimal<Value extends string | null = string>(expression: Expression<unknown>): RawBuilder<Value> {
  return sql<Value>`cast(${expression} as numeric)/*ig:decimal*/`
}

/** States that an expression is true or false: with `databaseValues: 'portable'` it is read as a boolean. See `asDecimal`. */
export function asBoolean<Value extends boolean | null = boolean>(expression: Expression<unknown>): RawBuilder<Value> {
  return sql<Value>`cast(${expression} as boolean)/*ig:boolean*/`
}

/** States that an expression is a date, or takes the date of a timestamp: it is read as `YYYY-MM-DD`. See `asDecimal`. */
export function asDate<Value extends string | null = string>(expression: Expression<unknown>): RawBuilder<Value> {
  return sql<Value>`cast(${expression} as date)/*ig:date*/`
}
