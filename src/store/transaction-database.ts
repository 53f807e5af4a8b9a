/** The query builder of a transaction, whose driver has only the one connection (specification 5.8). */
import type { CompiledQuery, DatabaseConnection, Driver, Kysely, QueryCompiler, QueryResult } from 'kysely'
import { HandlerDatabase } from '../model/handler-database.ts'
import { noTransactions } from './control.ts'
import type { Database } from './database.ts'
import type { Rows } from './insert-rows.ts'

/** The statements of one transaction. */
interface Statements {
  execute(query: CompiledQuery): Promise<QueryResult<unknown>>
  stream(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<unknown>>
  insertRows(table: string, columns: readonly string[], rows: Rows): Promise<number>
  openCompiler(): QueryCompiler
}

export class TransactionDatabase extends HandlerDatabase {
  readonly #transaction: Statements

  constructor({ dialect }: Pick<Database, 'dialect'>, transaction: Statements) {
    super({
      dialect: {
        createAdapter: () => dialect.createAdapter(),
        createQueryCompiler: () => transaction.openCompiler(),
        createIntrospector: (database: Kysely<unknown>) => dialect.createIntrospector(database),
        createDriver: () => new TransactionDriver(transaction),
      },
    })
    this.#transaction = transaction
  }

  insertRows(table: string, columns: readonly string[], rows: Rows): Promise<number> {
    return this.#transaction.insertRows(table, columns, rows)
  }
}

/** The Kysely driver over the one transaction; `destroy` and others do nothing. */
class TransactionDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(transaction: Statements) {
    this.#connection = {
      executeQuery: <R>(query: CompiledQuery) => transaction.execute(query) as Promise<QueryResult<R>>,
      streamQuery: <R>(query: CompiledQuery, chunkSize = 100) =>
        transaction.stream(query, chunkSize) as AsyncIterableIterator<QueryResult<R>>,
    }
  }

  async init() {}
  async acquireConnection() {
    return this.#connection
  }
  async beginTransaction() {
    throw new Error(noTransactions)
  }
  async commitTransaction() {}
  async rollbackTransaction() {}
  async releaseConnection() {}
  async destroy() {}
}
