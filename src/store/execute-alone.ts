/**
 * Runs one statement of the gateway outside a transaction, so that it holds its locks only while it runs, even if this
 * process is paused.
 */
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Database } from './database.ts'
import { isBusy } from './sqlite/connection.ts'
import { inTransaction } from './transaction.ts'

/** @param wait for another process that writes to the file; with the statement at most the limit, both in milliseconds */
export async function executeAlone<Row>(
  database: Database,
  query: CompiledQuery<Row>,
  wait: number,
  limit: number,
): Promise<QueryResult<Row>> {
  if (!database.executeAlone) return database.reader.executeQuery(query)
  try {
    return (await database.executeAlone(query)) as QueryResult<Row>
  } catch (error) {
    if (!isBusy(error)) throw error
    return inTransaction(database, (transaction) => transaction.executeQuery(query), wait, limit)
  }
}
