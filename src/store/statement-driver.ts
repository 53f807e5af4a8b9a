/** The part of a Kysely driver that statements need: their transaction begins and ends elsewhere (specification 5.8, 5.9). */
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { noTransactions } from './control.ts'

export interface Statements {
  execute(query: CompiledQuery): Promise<QueryResult<unknown>>
  stream(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<unknown>>
}

export class StatementDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(statements: Statements) {
    this.#connection = {
      executeQuery: <R>(query: CompiledQuery) => statements.execute(query) as Promise<QueryResult<R>>,
      streamQuery: <R>(query: CompiledQuery, chunkSize = 100) =>
        statements.stream(query, chunkSize) as AsyncIterableIterator<QueryResult<R>>,
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
