/** Reads on one connection, outside the writer (specification 5.9). */
import type { DatabaseSession } from '../database.ts'
import { type SqliteConnection, toQueryResult } from './connection.ts'

export type StatementReader = Pick<DatabaseSession, 'execute' | 'stream'>

export interface ReadingRules {
  /** Replaces errors of the database. */
  explain?(error: unknown): unknown
  readonly isRestricted?: boolean
  readonly isPortable?: boolean
}

export function readOn(
  connection: SqliteConnection,
  { explain = (error) => error, isRestricted = false, isPortable = false }: ReadingRules,
): StatementReader {
  return {
    async execute({ sql, parameters }, memory) {
      connection.isRestricted = isRestricted
      try {
        return toQueryResult(connection.execute(sql, parameters, memory?.count(), isPortable))
      } catch (error) {
        throw explain(error)
      }
    },
    async *stream({ sql, parameters }, chunkSize, memory) {
      connection.isRestricted = isRestricted
      try {
        const chunks = connection.iterate(sql, parameters, chunkSize, memory && (() => memory.count()), isPortable)
        for (const rows of chunks) yield { rows }
      } catch (error) {
        throw explain(error)
      }
    },
  }
}
