/** A read transaction on a connection of its own: its statements see one state of the file (specification 5.32). */
import type { DatabaseSession } from '../database.ts'
import { SqliteConnection, toQueryResult } from './connection.ts'

/** @param explain replaces errors of the database */
export function beginSqliteSnapshot(
  file: string,
  explain: (error: unknown) => unknown,
  isPortable = false,
): DatabaseSession {
  const connection = new SqliteConnection({ file, isReadOnly: true })
  let isOpen = true
  const end = async () => {
    if (isOpen) connection.close()
    isOpen = false
  }
  connection.run('begin')
  connection.execute('select 1 from sqlite_schema limit 1', []) // the state of the file at its first read
  connection.isRestricted = true
  return {
    async execute({ sql, parameters }, rows) {
      try {
        return toQueryResult(connection.execute(sql, parameters, rows?.count(), isPortable))
      } catch (error) {
        throw explain(error)
      }
    },
    async *stream({ sql, parameters }, chunkSize, memory) {
      try {
        const chunks = connection.iterate(sql, parameters, chunkSize, memory && (() => memory.count()), isPortable)
        for (const rows of chunks) yield { rows }
      } catch (error) {
        throw explain(error)
      }
    },
    insert: () => Promise.reject(new Error('context.snapshot only reads')),
    restrict() {},
    commit: end,
    rollback: end,
  }
}
