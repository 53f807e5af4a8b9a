/** Opens the store of `ig.database`: an SQLite file, or a PostgreSQL database (specification 8.4). */
import { existsSync } from 'node:fs'
import { CompiledQuery } from 'kysely'
import { openAdministrationStore } from './administration/administration.ts'
import { appendEntry, isChange } from './administration/audit.ts'
import { type DatabaseClock, openClock } from './clock.ts'
import type { Database } from './database.ts'
import { type DiskFull, openDiskFull } from './disk-full.ts'
import { StoreOutage, StoreUnavailable } from './faults.ts'
import { correctFutureTimes } from './future-times.ts'
import { allMigrations, cacheMigrations, mainMigrations } from './gateway-migrations.ts'
import { openInstances } from './instances.ts'
import { findPending, migrateGateway, migrateProject, type PendingMigrations } from './migrations.ts'
import { openOperators } from './operators.ts'
import { admitHandlers } from './postgres/handler-role.ts'
import type { PostgresOptions } from './postgres/open-postgres.ts'
import { openRevisions } from './revisions.ts'
import { defaultStreams, openSnapshots } from './snapshots.ts'
import { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.ts'
import type { ProjectMigration, Store } from './store.ts'
import { openHandlerTransaction } from './transaction.ts'

export interface StoreOptions extends PostgresOptions, SqliteOptions {
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/**
 * @param database a path, or `postgres://…`
 * @throws StoreUnavailable
 */
export async function openStore(database: string, options: StoreOptions = {}): Promise<Store> {
  const parts = await openDatabases(database, options)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= closeAll(parts)
    return closing
  }
  try {
    await migrateGateway(parts.own, parts.own === parts.cache ? allMigrations : mainMigrations)
    return composeStore(parts, await openClock(parts.own), close, options)
  } catch (error) {
    await close()
    throw error
  }
}

/** Creates no database and changes nothing. @throws StoreUnavailable */
export async function findPendingMigrations(
  database: string,
  project: readonly ProjectMigration[],
): Promise<PendingMigrations> {
  const isFile = !database.includes('://')
  if (isFile && !existsSync(database)) return { own: namesOf(mainMigrations), project: namesOf(project) }
  const parts = await openDatabases(database, {})
  try {
    return await findPending(parts.own, parts.own === parts.cache ? allMigrations : mainMigrations, project)
  } finally {
    await closeAll(parts)
  }
}

function namesOf(migrations: readonly { readonly name: string }[]): readonly string[] {
  return migrations.map(({ name }) => name).toSorted()
}

export interface StoreDuringOutage {
  readonly store: Store
  /**
   * Opens it after the outage: creates its tables and enables handlers. @throws Error if it does not answer, or is newer
   */
  open(migrations: readonly ProjectMigration[]): Promise<void>
}

/** For a PostgreSQL outage: every query before the opening is refused. */
export async function openStoreDuringOutage(
  database: string,
  options: StoreOptions & OutageOptions,
): Promise<StoreDuringOutage> {
  const parts = await openDatabases(database, options)
  let isOpen = false
  const afterOpening =
    (begin: Database['begin']): Database['begin'] =>
    async (waiting) => {
      if (!isOpen) throw new StoreOutage('The database has not been opened since this process started')
      return begin(waiting)
    }
  const { begin, beginSnapshot } = parts.handlers
  const handlers = {
    ...parts.handlers,
    begin: afterOpening(begin),
    ...(beginSnapshot && { beginSnapshot: afterOpening(beginSnapshot) }),
  }
  const clock = await openClock(parts.own, options.clockOffset)
  const store = composeStore({ ...parts, handlers }, clock, () => closeAll(parts), options)
  return {
    store,
    async open(migrations) {
      await migrateGateway(parts.own, allMigrations)
      await store.migrate(migrations)
      isOpen = true
    },
  }
}

export interface OutageOptions {
  readonly isOutage: true
  /** This and the schema were read before the outage. */
  readonly clockOffset: number
  readonly schema: string | undefined
}

interface Databases {
  readonly dbType: Store['dbType']
  readonly own: Database
  readonly cache: Database
  readonly handlers: Database
  readonly diskFull: DiskFull
  /**
   * If handlers have a role of their own: grants its rights after migrations. @throws StoreUnavailable if it has others
   */
  readonly admit?: () => Promise<void>
}

async function openDatabases(database: string, options: StoreOptions): Promise<Databases> {
  const diskFull = openDiskFull(options.now ?? Date.now)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(database)?.[1]?.toLowerCase()
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { openPostgres } = await import('./postgres/open-postgres.ts') // loaded here, because SQLite does not need the driver
    const pools = await openPostgres(database, options)
    const own = { ...pools.own, diskFull }
    const admit = () => admitHandlers(own, pools.handlers)
    const handlers = { ...pools.handlers, diskFull }
    return {
      dbType: 'POSTGRESQL',
      own,
      cache: own,
      handlers,
      diskFull,
      ...(options.handlerUrl !== undefined && { admit }),
    }
  }
  if (scheme) throw new StoreUnavailable(`A database is a file or a postgres:// URL; ${scheme}:// is neither`)
  const files = await openSqlite(database, options, (cache) => migrateGateway(cache, cacheMigrations))
  const main = { ...files.main, diskFull }
  return { dbType: 'SQLITE', own: main, cache: files.cache, handlers: main, diskFull }
}

async function closeAll({ handlers, own, cache }: Databases): Promise<void> {
  for (const part of new Set([handlers, own, cache])) await part.close()
}

function composeStore(
  { dbType, own, cache, handlers, diskFull, admit }: Databases,
  clock: DatabaseClock,
  close: () => Promise<void>,
  { streams = defaultStreams }: StoreOptions,
): Store {
  const operators = openOperators(own)
  const revisions = openRevisions(own)
  const forAdministration = dbType === 'SQLITE' ? own : withinWait(own)
  const snapshots = openSnapshots(handlers, streams)
  return {
    dbType,
    schema: own.schema,
    operators,
    revisions,
    get clockOffset() {
      return clock.offset()
    },
    correctFutureTimes: (now) => correctFutureTimes({ main: own, cache }, now + clock.offset()),
    get full() {
      return diskFull.full
    },
    get fault() {
      return own.fault?.()
    },
    async identify() {
      const { id } = await own.reader.selectFrom('ig_store').select('id').executeTakeFirstOrThrow()
      return id
    },
    administration: openAdministrationStore(forAdministration),
    instances: openInstances(cache),
    databases: { main: own, cache },
    load: () => ({
      handlers: handlers.load(),
      ...(own === handlers ? {} : { own: own.load() }),
      ...(own === cache ? {} : { cache: cache.load() }),
      streams: { open: snapshots.count, idle: 0, waiting: 0, max: snapshots.max },
    }),
    audited(describe) {
      const audited: Database = {
        ...forAdministration,
        beforeCommit: async (transaction, result) => {
          if (isChange(result)) await appendEntry(transaction, describe(result))
        },
      }
      return {
        operators: openOperators(audited),
        revisions: openRevisions(audited),
        administration: openAdministrationStore(audited),
        databases: { main: audited, cache },
      }
    },
    async changesSince(cursor) {
      await clock.poll()
      // One after the other, over one connection: after an outage each process opens one, not two
      const changed = await operators.changedSince(cursor.operators)
      const activation = await revisions.activatedSince(cursor.activations)
      return {
        cursor: { operators: changed.epoch, activations: activation?.sequence ?? cursor.activations },
        operators: changed.operators,
        removedOperators: changed.removed,
        activation,
      }
    },
    openHandlerTransaction: (options) => openHandlerTransaction(handlers, { ...options, isRestricted: true }),
    openSnapshot: snapshots.open,
    async migrate(migrations) {
      const ran = await migrateProject(own, migrations)
      await admit?.()
      return ran
    },
    close,
  }
}

/**
 * Milliseconds: an administrator gets the error by then, so that nothing starts later. On SQLite a handler may hold the
 * writer for longer.
 */
const administrationWait = 3_000
/** For a row locked by another transaction: all reads depend on the few connections for the gateway's own work. */
const lockWait = 1_000

function withinWait(database: Database): Database {
  return {
    ...database,
    async begin(waiting) {
      const session = await database.begin({ ...waiting, wait: Math.min(waiting.wait, administrationWait) })
      try {
        await session.execute(CompiledQuery.raw(`set local lock_timeout = ${lockWait}`))
      } catch (error) {
        await session.rollback()
        throw error
      }
      return session
    },
  }
}
