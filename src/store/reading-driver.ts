/** The part of a Kysely driver that reads outside a transaction need (specification 5.9). */
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { DatabaseSession } from './database.ts'

export class ReadingDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor({ execute, stream }: Pick<DatabaseSession, 'execute' | 'stream'>) {
    this.#connection = {
      executeQuery: <R>(query: CompiledQuery) => execute(query) as Promise<QueryResult<R>>,
      streamQuery: <R>(query: CompiledQuery, chunkSize = 100) =>
        stream(query, chunkSize) as AsyncIterableIterator<QueryResult<R>>,
    }
  }

  async init() {}
  async acquireConnection() {
    return this.#connection
  }
  async beginTransaction() {
    throw new Error('This connection only reads')
  }
  async commitTransaction() {}
  async rollbackTransaction() {}
  async releaseConnection() {}
  async destroy() {}
}
