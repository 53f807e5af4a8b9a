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
import { type FileWatch, watchFile } from './watch-file.ts'
import { SqliteWriter, toQueryResult } from './writer.ts'
import type { WriterOptions } from './writer-worker.ts'

export async function openSqlite(path: string): Promise<{ readonly main: Database; readonly cache: Database }> {
  const main = await openFile({ file: resolve(path), isDurable: true })
  try {
    return { main, cache: await openFile({ file: besides(path, 'cache'), isDurable: false }) }
  } catch (error) {
    await main.close()
    throw error
  }
}

/**
 * A file beside the main one, of which reading, too, is done in the writer's thread: what looks through many rows keeps no
 * call waiting.
 */
export async function openSqliteBesides(path: string, purpose: string): Promise<Database> {
  return openFile({ file: besides(path, purpose), isDurable: false, isScattered: true }, true)
}

function besides(path: string, purpose: string): string {
  const file = resolve(path)
  return join(dirname(file), `${basename(file, extname(file))}-${purpose}${extname(file)}`)
}

async function openFile(options: WriterOptions, readsAside = false): Promise<Database> {
  const { file } = options
  try {
    mkdirSync(dirname(file), { recursive: true })
    closeSync(openSync(file, 'a', 0o600)) // password hashes are the owner's only
    const writer = await SqliteWriter.open(options)
    if (readsAside) return sqliteDatabase(writer, readAside(writer))
    const connection = new SqliteConnection({ file, isReadOnly: true })
    if (!options.isDurable) return sqliteDatabase(writer, readInProcess(file, connection), connection)
    const watch = watchFile(file)
    writer.explain = watch.explain
    return watchedDatabase(sqliteDatabase(writer, readInProcess(file, connection, watch.explain), connection), watch)
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

type Reading = Pick<Session, 'execute' | 'stream'>

/** @param explain what is thrown in place of an error of the database */
function readInProcess(file: string, connection: SqliteConnection, explain = (error: unknown) => error): Reading {
  return {
    async execute(query) {
      try {
        return toQueryResult(connection.execute(query.sql, query.parameters))
      } catch (error) {
        throw explain(error)
      }
    },
    /** On a connection of its own: an open statement would keep all other reads at the state of its begin. */
    async *stream({ sql, parameters }, chunkSize) {
      const own = new SqliteConnection({ file, isReadOnly: true })
      try {
        for (const rows of own.iterate(sql, parameters, chunkSize)) yield { rows }
      } catch (error) {
        throw explain(error)
      } finally {
        own.close()
      }
    },
  }
}

function readAside(writer: SqliteWriter): Reading {
  const execute: Reading['execute'] = async (query) => toQueryResult(await writer.read(query))
  return {
    execute,
    async *stream(query) {
      yield await execute(query)
    },
  }
}

/** Of a file that is gone nothing is read or written; of a damaged one is read what can be. */
function watchedDatabase(database: Database, watch: FileWatch): Database {
  const { inProcess } = database
  return {
    ...database,
    fault: () => watch.fault,
    ...(inProcess && {
      inProcess: {
        execute: async (query) => {
          if (watch.fault?.name === 'storeFileGone') watch.requireSound()
          return inProcess.execute(query)
        },
        stream: inProcess.stream,
      },
    }),
    async begin(waiting) {
      watch.requireSound()
      return database.begin(waiting)
    },
    close() {
      watch.close()
      return database.close()
    },
  }
}

/** @param connection where reading is done in process */
function sqliteDatabase(writer: SqliteWriter, reading: Reading, connection?: SqliteConnection): Database {
  return {
    dialect,
    columnTypes: { text: 'text', bytes: 'blob', key: 'integer', appendOnly },
    reader: new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new ReadingDriver(reading) } }),
    ...(connection && { inProcess: reading }),
    begin: (waiting) => writer.begin(waiting),
    load: () => writer.load,
    // The transaction has the file's write lock from its first statement, whatever it is
    lockMigrations: async (transaction) => void (await sql`select 1`.execute(transaction)),
    async close() {
      connection?.close()
      await writer.close() // the last one to close tidies the write-ahead log, which a reader may not
    },
  }
}
