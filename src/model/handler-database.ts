/** The database as a handler sees it: a Kysely query builder whose statements are all one transaction (specification 5). */
import { Kysely } from 'kysely'

/**
 * All statements of one request are one transaction: committed before the response is sent, rolled back on failure.
 * After a failed statement the transaction is unusable, on either database. Begin, commit and savepoints are the
 * gateway's: `transaction()` is refused. What it sees of concurrent calls depends on `transaction` of the operation.
 *
 * A value that the database cannot store (a promise; on SQLite any object but bytes and a Date) is a TypeError of the
 * statement. A whole number in a text column is stored as its digits.
 *
 * Tables belong to the project; declare their types as `HandlerDatabase<{ C_KEY_VALUE: … }>`.
 *
 * With `databaseValues: 'portable'` in the configuration, both databases give the values of the last column (specification 5.60);
 * `asDecimal` and others state the type of an expression, and `decimalColumn` makes an exact column.
 *
 * | value | given | back from SQLite | back from PostgreSQL | portable |
 * |---|---|---|---|---|
 * | absent | `null`, `undefined` | `null` | `null` | `null` |
 * | text | string | string | string | string |
 * | integer | number, bigint | number; bigint beyond 2^53 | number; bigint beyond 2^53 | number; bigint beyond 2^53 |
 * | real | number | number | number | number |
 * | decimal | string, number | number | string with all digits of its scale | string without trailing zeros |
 * | boolean | boolean | 1 or 0 | boolean | boolean |
 * | bytes | Buffer | Buffer | Buffer | Buffer |
 * | date | string, Date | the string stored | `YYYY-MM-DD` | `YYYY-MM-DD` |
 * | timestamp | string, or a Date (stored as its UTC text) | the string stored | string with six decimals | string with six decimals |
 */
// biome-ignore lint/suspicious/noExplicitAny: without a stated schema every table and column is allowed
export abstract class HandlerDatabase<Tables = any> extends Kysely<Tables> {
  /**
   * Inserts many rows, in batches, in the given order: several hundred thousand a second. Reads rows only as fast as
   * the database accepts them, so a stream of any length needs little memory.
   * @param table name, exactly as it was created; `schema.table` is allowed
   * @param columns names, the same for all rows
   * @param rows values in the order of the columns
   * @returns the number of rows inserted
   */
  abstract insertRows(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  ): Promise<number>
}
