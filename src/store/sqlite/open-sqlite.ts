/**
 * The store over SQLite files: the main one durable, the REST cache in a second one beside it, so that neither ever
 * waits for the other (specification 5.9, 6.7). Each has its writer; reading is done in process.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import type { Database, Session } from '../database.ts'
import { ReadingDriver } from '../reading-driver.ts'
import { StoreUnavailable } from '../store.ts'
import type { Tables } from '../tables.ts'
import { SqliteConnection } from './connection.ts'
import { SqliteWriter, toQueryResult } from './writer.ts'
import type { WriterOptions } from './writer-worker.ts'

export async function openSqlite(path: string): Promise<{ readonly main: Database; readonly cache: Database }> {
  const file = resolve(path)
  const cacheFile = join(dirname(file), `${basename(file, extname(file))}-cache${extname(file)}`)
  const main = await openFile({ file, isDurable: true })
  try {
    return { main, cache: await openFile({ file: cacheFile, isDurable: false }) }
  } catch (error) {
    await main.close()
    throw error
  }
}

async function openFile(options: WriterOptions): Promise<Database> {
  const { file } = options
  try {
    mkdirSync(dirname(file), { recursive: true })
    closeSync(openSync(file, 'a', 0o600)) // password hashes are the owner's only
    const writer = await SqliteWriter.open(options)
    const connection = new SqliteConnection({ file, isReadOnly: true })
    return sqliteDatabase(file, writer, connection)
  } catch (error) {
    throw new StoreUnavailable(`Cannot open the SQLite database ${file}: ${(error as Error).message}`)
  }
}

const dialect = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (database: Kysely<unknown>) => new SqliteIntrospector(database),
}

const appendOnly = (table: string) =>
  ['update', 'delete'].map((deed) =>
    sql.raw(
      `create trigger ${table}_no_${deed} before ${deed} on ${table} begin select raise(abort, '${table} is append-only'); end`,
    ),
  )

function sqliteDatabase(file: string, writer: SqliteWriter, connection: SqliteConnection): Database {
  const inProcess: Pick<Session, 'execute' | 'stream'> = {
    execute: async (query) => toQueryResult(connection.execute(query.sql, query.parameters)),
    /** On a connection of its own: an open statement would keep all other reads at the state of its begin. */
    async *stream({ sql, parameters }, chunkSize) {
      const own = new SqliteConnection({ file, isReadOnly: true })
      try {
        for (const rows of own.iterate(sql, parameters, chunkSize)) yield { rows }
      } finally {
        own.close()
      }
    },
  }
  return {
    dialect,
    columnTypes: { text: 'text', bytes: 'blob', appendOnly },
    reader: new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new ReadingDriver(inProcess) } }),
    inProcess,
    begin: (waiting) => writer.begin(waiting),
    // The transaction has the file's write lock from its first statement, whatever it is
    lockMigrations: async (transaction) => void (await sql`select 1`.execute(transaction)),
    async close() {
      connection.close()
      await writer.close() // the last one to close tidies the write-ahead log, which a reader may not
    },
  }
}
