/**
 * Both databases, for tests: a fresh SQLite file, or a fresh database on a real PostgreSQL server. `npm test` starts
 * that server once (`IG_TEST_POSTGRES`); a test file run alone starts its own.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import pg from 'pg'
import { patience } from './patience.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

export interface TestDatabase {
  /** Stands in parentheses at the end of a test's title. */
  readonly name: 'SQLite' | 'PostgreSQL'
  open(): Promise<OpenTestDatabase>
  /** With the gateway's own tables, where they cost less to copy than to make. */
  openMigrated?(): Promise<OpenTestDatabase>
}

export interface OpenTestDatabase {
  /** What `ig.database` would say. */
  readonly url: string
  remove(): Promise<void>
}

export const databases: readonly TestDatabase[] = [
  { name: 'SQLite', open: openSqliteFile, openMigrated: copySqliteFiles },
  {
    name: 'PostgreSQL',
    open: () => createPostgresDatabase('template1'),
    openMigrated: async () => createPostgresDatabase(await findTemplate()),
  },
]

/** Defines tests once for each database; `npm run test:quick` leaves PostgreSQL out. */
export function forEachDatabase(define: (database: TestDatabase) => void): void {
  const asked = process.env.IG_TEST_DATABASES?.split(',')
  for (const database of databases) if (!asked || asked.includes(database.name)) define(database)
}

/** For what only one of them can do. */
export function findDatabase(name: TestDatabase['name']): TestDatabase {
  const database = databases.find((each) => each.name === name)
  if (!database) throw new Error(`no ${name}`)
  return database
}

async function openSqliteFile(): Promise<OpenTestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-sqlite-'))
  return {
    url: join(folder, 'gateway.sqlite'),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

let files: Promise<OpenTestDatabase> | undefined

async function copySqliteFiles(): Promise<OpenTestDatabase> {
  files ??= makeSqliteFiles()
  const { url } = await files
  const copy = await openSqliteFile()
  cpSync(dirname(url), dirname(copy.url), { recursive: true })
  return copy
}

async function makeSqliteFiles(): Promise<OpenTestDatabase> {
  const { openStore } = await import('../../src/store/open-store.ts')
  const made = await openSqliteFile()
  await (await openStore(made.url)).close()
  return made
}

/** SQL that is not the gateway's, by a connection of its own; several statements give no rows. */
export async function runOutside(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  if (url.startsWith('postgres')) return runAlone(url, statement)
  const database = new DatabaseSync(url, { timeout: patience })
  try {
    if (/^select\b/i.test(statement)) return database.prepare(statement).all()
    database.exec(statement)
    return []
  } finally {
    database.close()
  }
}

let databasesCreated = 0

async function createPostgresDatabase(template: string): Promise<OpenTestDatabase> {
  const server = await postgresUrl()
  const name = `ig_test_${process.pid}_${++databasesCreated}`
  await administer(server, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: urlOf(server, name),
    remove: () => administer(server, `drop database if exists ${name} with (force)`),
  }
}

let template: Promise<string> | undefined

/** The first of all test processes makes it, and the others wait. */
function findTemplate(): Promise<string> {
  template ??= makeTemplate()
  return template
}

async function makeTemplate(): Promise<string> {
  const server = await postgresUrl()
  const [name, draft] = ['ig_migrated', 'ig_migrating']
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      const { openStore } = await import('../../src/store/open-store.ts')
      await client.query(`drop database if exists ${draft}`)
      await client.query(`create database ${draft}`)
      await (await openStore(urlOf(server, draft))).close()
      await client.query(`alter database ${draft} rename to ${name}`)
    }
    return name
  } finally {
    await client.end() // with its lock
  }
}

function urlOf(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: name }).href
}

let pool: pg.Pool | undefined

/** To connect costs as much as to create a database: 7 ms of processor time. */
async function administer(server: string, sql: string): Promise<void> {
  pool ??= new pg.Pool({ connectionString: server, allowExitOnIdle: true }).on('error', () => {}) // its server ended first
  await pool.query(sql)
}

async function runAlone(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

let ownServer: Promise<PostgresServer> | undefined

async function postgresUrl(): Promise<string> {
  if (process.env.IG_TEST_POSTGRES) return process.env.IG_TEST_POSTGRES
  ownServer ??= startOwn()
  return (await ownServer).url
}

function startOwn(): Promise<PostgresServer> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1)) // which stops it
  return startPostgres()
}

after(async () => {
  await (await files)?.remove()
  await (await ownServer)?.stop()
})
