/** The database as a handler sees it: a Kysely query builder whose statements are all one transaction (specification 5). */
import { Kysely } from 'kysely'

/**
 * All statements of one request are one transaction: committed before the response is sent, rolled back on failure.
 * After a failed statement the transaction is unusable, on either database. Begin, commit and savepoints are the
 * gateway's: `transaction()` is refused. On SQLite, each read before the first write sees its own snapshot.
 *
 * Tables belong to the project; declare their types as `HandlerDatabase<{ C_KEY_VALUE: … }>`.
 *
 * | value | given | back from SQLite | back from PostgreSQL |
 * |---|---|---|---|
 * | absent | `null`, `undefined` | `null` | `null` |
 * | text | string | string | string |
 * | integer | number, bigint | number; bigint beyond 2^53 | number; bigint beyond 2^53 |
 * | real | number | number | number; `numeric` is a string, exact |
 * | boolean | boolean | 1 or 0 | boolean |
 * | bytes | Buffer | Buffer | Buffer |
 * | date and time | string, or a Date (stored as its UTC text) | the string stored | string, a `timestamp` with six decimals |
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
