/** The database as a handler sees it: a Kysely query builder whose statements are all one transaction (specification 5). */
import { Kysely } from 'kysely'

/** Tables are the project's own; their types may be stated as `HandlerDatabase<{ C_KEY_VALUE: … }>`. */
// biome-ignore lint/suspicious/noExplicitAny: without a stated schema every table and column is allowed
export abstract class HandlerDatabase<Tables = any> extends Kysely<Tables> {
  /**
   * Inserts many rows, in batches, in the order given.
   * @param columns names, the same for all rows @param rows values in the order of the columns
   * @returns the number of rows inserted
   */
  abstract insertRows(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  ): Promise<number>
}
