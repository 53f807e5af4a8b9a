/** A read transaction on a connection of its own: its statements see one state of the file (specification 5.32). */
import type { DatabaseSession } from '../database.ts'
import { SqliteConnection } from './connection.ts'
import { type ReadingRules, readOn } from './statement-reader.ts'

export function beginSqliteSnapshot(file: string, rules: ReadingRules): DatabaseSession {
  const connection = new SqliteConnection({ file, isReadOnly: true })
  let isOpen = true
  const end = async () => {
    if (isOpen) connection.close()
    isOpen = false
  }
  connection.run('begin')
  connection.execute('select 1 from sqlite_schema limit 1', []) // the state of the file at its first read
  return {
    ...readOn(connection, { ...rules, isRestricted: true }),
    insert: () => Promise.reject(new Error('context.snapshot only reads')),
    restrict() {},
    commit: end,
    rollback: end,
  }
}
