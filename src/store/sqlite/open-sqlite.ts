/**
 * The store over SQLite files: the main one durable, the REST cache in a second one, so that neither ever waits for the
 * other (specification 5.9, 6.7). Each has its writer; reads are done in process.
 */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Kysely, SqliteAdapter, SqliteIntrospector, sql } from 'kysely'
import type { Observe } from '../../model/observation.ts'
import type { Database } from '../database.ts'
import { StoreUnavailable } from '../faults.ts'
import { StatementDriver } from '../statement-driver.ts'
import type { Tables } from '../tables.ts'
import { clock } from './clock.ts'
import { SqliteConnection, toQueryResult } from './connection.ts'
import { besides, examineFile, isDamage, setAside } from './files.ts'
import { openInstallation } from './installation.ts'
import type { ColumnsOf } from './portable-writes.ts'
import { MarkingCompiler } from './query-compiler.ts'
import { requireAccess, requireExpected } from './require-file.ts'
import { beginSqliteSnapshot } from './snapshot.ts'
import { type ReadingRules, readOn, type StatementReader } from './statement-reader.ts'
import { afterDamage, type FileWatch, watchFile } from './watch-file.ts'
import { SqliteWriter } from './writer.ts'
import type { WriterOptions } from './writer-requests.ts'
import { WriterSession } from './writer-session.ts'

export interface SqliteOptions {
  /**
   * True: there must be no database yet; creates one. False: creates none. Omitted: creates one if none existed before.
   */
  readonly isNew?: boolean | undefined
  /** Absent if a damaged file must not be renamed: only the serving process repairs it. */
  readonly observe?: Observe | undefined
}

/** Creates the tables of an opened file. */
type Prepare = (database: Database) => Promise<void>

export async function openSqlite(
  path: string,
  options: SqliteOptions = {},
  prepareCache: Prepare = async () => {},
): Promise<{ readonly main: Database; readonly cache: Database }> {
  const file = resolve(path)
  for (const each of [file, besides(file, 'id')]) requireAccess(each)
  await using opened = new AsyncDisposableStack()
  const installation = openInstallation(file)
  opened.defer(installation.close)
  requireExpected(file, installation, options.isNew)
  const damage = examineFile(file)
  if (damage !== undefined)
    throw new StoreUnavailable(`The SQLite database ${file} is damaged: ${damage}. ${afterDamage}`)
  const cacheFile = { file: besides(path, 'cache'), isDurable: false }
  const opening = openRebuildable(cacheFile, prepareCache, options) // its thread starts beside the other one
  opening.catch(() => {})
  const main = await openFile({ file, isDurable: true }).catch(async (error) => {
    await opening.then(({ close }) => close()).catch(() => {})
    throw error
  })
  opened.defer(main.close)
  installation.record()
  const cache = await opening
  const closing = opened.move()
  return { main: { ...main, close: () => closing.disposeAsync() }, cache }
}

/** A file next to the main one that is read in the writer's thread as well: long reads block no call. */
export async function openSeparateSqlite(
  path: string,
  purpose: string,
  prepare: Prepare,
  options: Pick<SqliteOptions, 'observe'> & { readonly isDamaged?: boolean } = {},
): Promise<Database> {
  const writer = { file: besides(path, purpose), isDurable: false, isScattered: true }
  return openRebuildable(writer, prepare, options, true)
}

/** Its content can be recreated: a damaged one is renamed and replaced. */
async function openRebuildable(
  options: WriterOptions,
  prepare: Prepare,
  { observe, isDamaged = false }: Pick<SqliteOptions, 'observe'> & { readonly isDamaged?: boolean },
  readsAside = false,
): Promise<Database> {
  const { file } = options
  const open = async () => {
    const database = await openFile(options, readsAside)
    try {
      await prepare(database)
      return database
    } catch (error) {
      await database.close()
      throw error
    }
  }
  let damage = isDamaged
    ? 'a statement failed on the damaged part'
    : examineFile(file, observe !== undefined && !readsAside)
  if (damage === undefined) {
    try {
      return await open()
    } catch (error) {
      const cause = error instanceof StoreUnavailable ? error.cause : error
      if (!isDamage(cause)) throw error
      damage = cause.message
    }
  }
  if (!observe)
    throw new StoreUnavailable(`${file} is damaged: ${damage}. The gateway creates a new one when it starts`)
  const message = `${file} is damaged: ${damage}. It was renamed to ${setAside(file, 'damaged')}, and a new one was created.`
  observe({ kind: 'event', level: 'warning', name: 'fileSetAside', message })
  return open()
}

export async function openFile(options: WriterOptions, readsAside = false): Promise<Database> {
  const { file } = options
  requireAccess(file)
  try {
    mkdirSync(dirname(file), { recursive: true })
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600)) // only the owner may read password hashes
    const writer = await SqliteWriter.open(options)
    if (readsAside) return sqliteDatabase(writer, readAside(writer))
    const connection = new SqliteConnection({ file, isReadOnly: true })
    if (!options.isDurable) return sqliteDatabase(writer, readInProcess({ file, connection }), connection)
    const watch = watchFile(file)
    writer.explain = watch.explain
    const { explain } = watch
    const reading = readInProcess({ file, connection, explain })
    const place = { file, connection, explain, isRestricted: true }
    const inProcess = readInProcess(place)
    const inProcessPortable = readInProcess({ ...place, isPortable: true })
    const columnsOf = openColumns(connection)
    const beginSnapshot: Database['beginSnapshot'] = async ({ isPortable = false }) =>
      beginSqliteSnapshot(file, { explain, isPortable })
    const own = { ...sqliteDatabase(writer, reading, connection), beginSnapshot }
    const database = { ...own, inProcess, inProcessPortable, columnsOf }
    return watchedDatabase(database, watch)
  } catch (error) {
    throw new StoreUnavailable(`Cannot open the SQLite database ${file}: ${(error as Error).message}`, { cause: error })
  }
}

/** Shared by all transactions: it compiles synchronously and keeps no state between queries, and creating one binds a hundred methods. */
const compiler = new MarkingCompiler()
const dialect = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => compiler,
  createIntrospector: (database: Kysely<unknown>) => new SqliteIntrospector(database),
}

const appendOnly = (table: string) =>
  ['update', 'delete'].map((deed) =>
    sql.raw(
      `create trigger ${table}_no_${deed} before ${deed} on ${table} begin select raise(abort, '${table} is append-only'); end`,
    ),
  )

/** `insert or replace` deletes the row that it replaces, of the same key or rowid, and fires no trigger for that. */
const neverReplaced = (table: string, key: string) => [
  sql.raw(`create trigger if not exists ${table}_no_replace before insert on ${table}
    when exists (select 1 from ${table} where ${key} = new.${key} or rowid = new.rowid)
    begin select raise(abort, '${table} is append-only'); end`),
]

interface InProcess extends ReadingRules {
  readonly file: string
  readonly connection: SqliteConnection
}

function readInProcess({ file, connection, ...rules }: InProcess): StatementReader {
  return {
    execute: readOn(connection, rules).execute,
    /** On a separate connection: an open statement would keep all other reads at its snapshot. */
    async *stream(query, chunkSize, memory) {
      const own = new SqliteConnection({ file, isReadOnly: true })
      try {
        yield* readOn(own, rules).stream(query, chunkSize, memory)
      } finally {
        own.close()
      }
    },
  }
}

function readAside(writer: SqliteWriter): StatementReader {
  const execute: StatementReader['execute'] = async (query) => toQueryResult(await writer.read(query))
  return {
    execute,
    async *stream(query) {
      yield await execute(query)
    },
  }
}

/** Nothing is read from or written to a missing file; a damaged one is read as far as possible. */
function watchedDatabase(database: Database, watch: FileWatch): Database {
  const { inProcess, inProcessPortable, beginSnapshot } = database
  const watched = ({ execute, stream }: StatementReader): StatementReader => ({
    execute: async (query, rows) => {
      if (watch.fault?.name === 'storeFileGone') watch.requireSound()
      return execute(query, rows)
    },
    stream,
  })
  return {
    ...database,
    fault: () => watch.fault,
    ...(inProcess && { inProcess: watched(inProcess) }),
    ...(inProcessPortable && { inProcessPortable: watched(inProcessPortable) }),
    async begin(waiting) {
      watch.requireSound()
      return database.begin(waiting)
    },
    ...(beginSnapshot && {
      beginSnapshot: async (waiting) => {
        if (watch.fault?.name === 'storeFileGone') watch.requireSound()
        return beginSnapshot(waiting)
      },
    }),
    close() {
      watch.close()
      return database.close()
    },
  }
}

/** Columns by table, in lower case; read again when the schema has changed. */
function openColumns(connection: SqliteConnection): ColumnsOf {
  const known = new Map<string, ReadonlyMap<string, string>>()
  let version: unknown
  return (table) => {
    connection.isRestricted = false
    const [schema] = connection.execute('pragma schema_version', []).rows
    if (schema?.schema_version !== version) known.clear()
    version = schema?.schema_version
    const found = known.get(table)
    if (found) return found
    const { rows } = connection.execute('select lower(name) as name, lower(type) as type from pragma_table_info(?)', [
      table,
    ])
    const columns = new Map(rows.map(({ name, type }) => [String(name), String(type)]))
    known.set(table, columns)
    return columns
  }
}

const columnTypes: Database['columnTypes'] = {
  text: sql`text`,
  bytes: sql`blob`,
  key: sql`integer`,
  dbType: 'SQLITE',
  clock,
  prefix: sql.raw(''),
  appendOnly,
  neverReplaced,
}

/** @param connection for reads in process */
function sqliteDatabase(writer: SqliteWriter, reading: StatementReader, connection?: SqliteConnection): Database {
  return {
    dialect,
    columnTypes,
    reader: new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new StatementDriver(reading) } }),
    begin: async (waiting) => new WriterSession(writer, waiting),
    executeAlone: async (query) => toQueryResult(await writer.read(query)),
    load: () => writer.load,
    // The transaction takes the file's write lock at its first statement, even a read
    lockMigrations: async (transaction) => void (await sql`select 1`.execute(transaction)),
    async close() {
      connection?.close()
      await writer.close() // the last connection checkpoints the write-ahead log, which a reader may not
    },
  }
}
