/**
 * The store over PostgreSQL: one pool for handlers, another for the gateway's own work, which therefore never waits for
 * them (specification 5.9).
 */
import {
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely'
import type pg from 'pg'
import { parsePostgresUrl, postgresUrlForm } from '../../base/postgres-url.ts'
import { within } from '../../base/within.ts'
import type { Observe } from '../../model/observation.ts'
import type { Database } from '../database.ts'
import { reasonOf, StoreOutage, StoreUnavailable } from '../faults.ts'
import { quote } from '../insert-rows.ts'
import { defaultStreams } from '../snapshots.ts'
import { StatementDriver, type Statements } from '../statement-driver.ts'
import type { Tables } from '../tables.ts'
import { type Breaker, openBreaker } from './breaker.ts'
import { asOutage } from './connection-lost.ts'
import { describeDurability, durabilityQuery } from './durability.ts'
import { explainRights } from './explain-rights.ts'
import { findInstallation, requireUtf8, type Schemas, schemasQuery } from './installation.ts'
import { lockMigrations } from './migration-lock.ts'
import { PatientPool } from './patient-pool.ts'
import { requirePrimary, watchReplication } from './primary-client.ts'
import { PostgresSession } from './session.ts'
import type { Start } from './statement.ts'
import { types } from './values.ts'

export interface PostgresOptions {
  /** If handlers have a login role of their own. */
  readonly handlerUrl?: string | undefined
  /** Connections that handlers share. */
  readonly handlerConnections?: number
  /** Connections for the gateway's own work. */
  readonly ownConnections?: number
  /** Snapshots of handlers' streams at the same time, each on a connection besides. */
  readonly streams?: number
  /** A slower read has lost its server: its connection is closed, and the next read opens another. */
  readonly readWait?: number
  /** How long closing waits for a transaction that does not end, or a server that does not answer. */
  readonly closeWait?: number
  /** How long the server keeps an idle transaction: its gateway may be gone without closing the connection. */
  readonly idleLimit?: number
  /** The same for a snapshot, which a slow client may leave idle. */
  readonly snapshotIdleLimit?: number
  /** A server that answers on no connection for longer than this is refused immediately from then on. */
  readonly silentAfter?: number
  /** Receives warnings about server settings that may lose acknowledged transactions. */
  readonly observe?: Observe | undefined
  /** How long opening waits for the first answer. */
  readonly startWait?: number
  /** How long opening waits for the migrations of another process. */
  readonly migrationWait?: number
  /** Known to be away: not queried first. */
  readonly isOutage?: boolean
  /** The schema of the gateway's tables, needed if the server is away. */
  readonly schema?: string | undefined
}

export async function openPostgres(
  url: string,
  options: PostgresOptions,
): Promise<{ readonly own: Database; readonly handlers: Database }> {
  const { handlerConnections = 10, ownConnections = 4, streams = defaultStreams, silentAfter } = options
  const { readWait = 5_000, closeWait = 5_000, migrationWait = 120_000, idleLimit = 60_000 } = options
  const { snapshotIdleLimit = 660_000 } = options
  const place = describe(url)
  const breaker = openBreaker(url, silentAfter)
  const own = createPool(url, ownConnections, breaker)
  const handlers = createPool(options.handlerUrl ?? url, handlerConnections, breaker)
  const snapshots = createPool(options.handlerUrl ?? url, streams, breaker) // without a connection until there is one
  let schema = options.schema
  let searchPath = schema && quote(schema)
  let role: string | undefined
  try {
    if (!options.isOutage) {
      const [durability] = await firstAnswer<Record<string, string>>(own, durabilityQuery, options.startWait)
      const message = describeDurability(durability ?? {})
      if (message !== undefined)
        options.observe?.({ kind: 'event', level: 'warning', name: 'storeNotDurable', message })
      const [schemas] = await firstAnswer<Schemas>(own, schemasQuery, options.startWait)
      if (!schemas) throw new Error('the server did not report its schemas')
      requireUtf8(schemas)
      role = schemas.role
      schema = findInstallation(schemas)
      searchPath = `${quote(schema)}, ${schemas.searchPath}`
    }
  } catch (error) {
    breaker.close()
    await Promise.all([own.end(), handlers.end(), snapshots.end()])
    const message = `Cannot open the PostgreSQL database ${place}: ${reasonOf(error)}`
    throw new StoreUnavailable(message, { isOutage: asOutage(error) !== undefined || isFull(error) })
  }
  const waits = { readWait, closeWait, migrationWait, breaker, idleLimit }
  const forHandlers = postgresDatabase(handlers, own, waits)
  const start = { idleLimit: snapshotIdleLimit, isolation: 'repeatable read read only' } as const
  return {
    own: postgresDatabase(own, own, waits, { role, schema, searchPath }),
    handlers: {
      ...forHandlers,
      beginSnapshot: async (waiting) =>
        new PostgresSession({ pool: snapshots, canceller: own, breaker, start }, waiting),
      close: async () => void (await Promise.all([forHandlers.close(), endPool(snapshots, closeWait)])),
    },
  }
}

/** Its pool has its own statement timeout. */
async function firstAnswer<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  question: string,
  startWait = 10_000,
): Promise<Row[]> {
  const late = new StoreOutage(`no answer within ${startWait / 1000} seconds`)
  return (await within(startWait, pool.query<Row>(question), late)).rows
}

/** All its connections are in use. */
function isFull(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === '53300'
}

/** User, host and database, without the password. Errors never contain the URL itself. */
function describe(text: string): string {
  const url = parsePostgresUrl(text)
  if (!url) throw new StoreUnavailable(`The PostgreSQL URL of the database is not valid. Write ${postgresUrlForm}`)
  const query = url.searchParams // takes precedence, as in the driver
  const user = query.get('user') || decodeURIComponent(url.username)
  const database = decodeURIComponent(url.pathname.slice(1)) || user
  const host = query.get('host') || decodeURIComponent(url.hostname) || 'localhost'
  return `${database} at ${host}:${query.get('port') || url.port || 5432} as ${user || 'the default user'}`
}

function createPool(connectionString: string, max: number, { stream, onLoss }: Breaker): pg.Pool {
  const pool = new PatientPool({
    connectionString,
    max,
    verify: requirePrimary,
    stream,
    types,
    application_name: 'integration-gateway',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  // A broken connection fails its statement, or is replaced at the next use
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    watchReplication(client)
  })
  onLoss(() => pool.cutIdle())
  return pool
}

type Waits = Required<Pick<PostgresOptions, 'readWait' | 'closeWait' | 'migrationWait' | 'idleLimit'>> & {
  readonly breaker: Breaker
}

/** Where the gateway's own tables are. */
interface Place {
  /** Unknown if it is away. */
  readonly role?: string | undefined
  readonly schema?: string | undefined
  /** The same schema first, then those of the role. */
  readonly searchPath?: string | undefined
}

function postgresDatabase(pool: pg.Pool, canceller: pg.Pool, waits: Waits, place: Place = {}): Database {
  const { role, schema, searchPath } = place
  const { readWait, closeWait, migrationWait, breaker, idleLimit } = waits
  const plainReader = new Kysely<Tables>({
    dialect: { ...dialect, createDriver: () => new StatementDriver(readFrom(pool, readWait, breaker, role)) },
  })
  const reader = schema === undefined ? plainReader : plainReader.withSchema(schema)
  const prefix = sql.raw(schema === undefined ? '' : `${quote(schema)}.`)
  return {
    dialect,
    schema,
    columnTypes: {
      text: sql`text collate "C"`,
      bytes: sql`bytea`,
      key: sql`bigint`,
      dbType: 'POSTGRESQL',
      clock: sql`(extract(epoch from clock_timestamp())::float8 * 1000)`,
      prefix,
      appendOnly,
      neverReplaced: () => [],
    },
    reader,
    async begin(waiting) {
      const start: Start = {
        idleLimit: waiting.idleLimit ?? idleLimit,
        searchPath,
        ...(waiting.isSerializable && { isolation: 'serializable' }),
      }
      return new PostgresSession({ pool, canceller, breaker, start }, waiting)
    },
    lockMigrations: (transaction) => lockMigrations(transaction, reader, schema ?? '', migrationWait),
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, max: pool.options.max }),
    async readClock() {
      const text = 'select extract(epoch from clock_timestamp())::float8 * 1000 as now'
      const query = { text, query_timeout: readWait } as pg.QueryConfig
      const { rows } = await breaker.askPromptly(() => pool.query<{ now: number }>(query))
      return rows[0]?.now ?? Date.now()
    },
    async close() {
      await endPool(pool, closeWait)
      if (pool === canceller) breaker.close() // the gateway's own pool closes last
    },
  }
}

/** A connection that does not end is left to the server. */
async function endPool(pool: pg.Pool, wait: number): Promise<void> {
  await within(wait, pool.end()).catch(() => {})
}

/** Shared by all transactions: it compiles synchronously and keeps no state between queries, and creating one binds a hundred methods. */
const compiler = new PostgresQueryCompiler()
const dialect: Database['dialect'] = {
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => compiler,
  createIntrospector: (database) => new PostgresIntrospector(database),
}

function readFrom(pool: pg.Pool, readWait: number, breaker: Breaker, role: string | undefined): Statements {
  const execute = async ({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> => {
    const query = { text: sql, values: [...parameters], query_timeout: readWait }
    const { rows } = await breaker
      .ask(() => pool.query(query))
      .catch((error) => {
        throw explainRights(error, role, sql)
      })
    return { rows }
  }
  return {
    execute,
    async *stream(query) {
      yield await execute(query)
    },
  }
}

const appendOnly = (table: string) => [
  sql.raw(
    `create function ${table}_refuse() returns trigger language plpgsql as $$ begin raise exception '${table} is append-only'; end $$`,
  ),
  sql.raw(
    `create trigger ${table}_no_change before update or delete or truncate on ${table} for each statement execute function ${table}_refuse()`,
  ),
]
