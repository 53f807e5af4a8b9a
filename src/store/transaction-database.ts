/** The query builder of a transaction, whose driver has only the one connection (specification 5.8). */
import type { Kysely, QueryCompiler } from 'kysely'
import { HandlerDatabase } from '../model/handler-database.ts'
import type { Database } from './database.ts'
import type { Rows } from './insert-rows.ts'
import { StatementDriver, type Statements } from './statement-driver.ts'

/** The statements of one transaction. */
interface TransactionStatements extends Statements {
  insertRows(table: string, columns: readonly string[], rows: Rows): Promise<number>
  openCompiler(): QueryCompiler
}

export class TransactionDatabase extends HandlerDatabase {
  readonly #transaction: TransactionStatements

  constructor({ dialect }: Pick<Database, 'dialect'>, transaction: TransactionStatements) {
    super({
      dialect: {
        createAdapter: () => dialect.createAdapter(),
        createQueryCompiler: () => transaction.openCompiler(),
        createIntrospector: (database: Kysely<unknown>) => dialect.createIntrospector(database),
        createDriver: () => new StatementDriver(transaction),
      },
    })
    this.#transaction = transaction
  }

  insertRows(table: string, columns: readonly string[], rows: Rows): Promise<number> {
    return this.#transaction.insertRows(table, columns, rows)
  }
}
