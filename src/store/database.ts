/**
 * The store's interface to a database, implemented for SQLite and for PostgreSQL. All writes (a handler's, the
 * gateway's own, migrations) use a `DatabaseSession`: one transaction, from begin to end.
 */
import type { CompiledQuery, Dialect, Kysely, QueryResult, RawBuilder } from 'kysely'
import type { RowMemory } from '../model/row-memory.ts'
import type { DiskFull } from './disk-full.ts'
import type { StoreFault } from './faults.ts'
import type { Row } from './insert-rows.ts'
import type { Tables } from './tables.ts'

export interface Database {
  readonly dialect: Pick<Dialect, 'createAdapter' | 'createQueryCompiler' | 'createIntrospector'>
  readonly columnTypes: ColumnTypes
  /** The schema of the gateway's tables, if the database has schemas. */
  readonly schema?: string | undefined
  /** The gateway's own reads, each on its own. They wait for no transaction. */
  readonly reader: Kysely<Tables>
  /** Present if a read outside a transaction is possible in process, without waiting. */
  readonly inProcess?: Pick<DatabaseSession, 'execute' | 'stream'>
  /** The same, with portable values (specification 5.60). */
  readonly inProcessPortable?: Pick<DatabaseSession, 'execute' | 'stream'>
  /** Declared types of the columns of a table; absent if the database itself converts what is written to them. */
  readonly columnsOf?: (table: string) => ReadonlyMap<string, string>
  /** Begins a transaction, or will with its first statement. @throws Refusal overloaded */
  begin(options: BeginOptions): Promise<DatabaseSession>
  /** Begins a read-only transaction on a connection of its own: all its reads see one state (specification 5.32). */
  beginSnapshot?(options: BeginOptions): Promise<DatabaseSession>
  /** One statement of the gateway's own, which commits by itself. @throws if another process has the lock of the file */
  executeAlone?(query: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<unknown>>
  /** Last in each of the gateway's own transactions that changed something: the audit adds its entry here. */
  readonly beforeCommit?: (transaction: Kysely<Tables>, result: unknown) => Promise<void>
  /** Receives the outcome of writes. */
  readonly diskFull?: DiskFull
  /** The damage of its file, if it has one. */
  fault?(): StoreFault | undefined
  /** Taken first in a migration's transaction: two processes may start at once. */
  lockMigrations(transaction: Kysely<Tables>): Promise<void>
  /** Open and idle connections, and waiters for one or for the writer. */
  load(): DatabaseLoad
  /** Epoch milliseconds; absent if the database has the clock of this machine. */
  readClock?(): Promise<number>
  close(): Promise<void>
}

export interface DatabaseLoad {
  readonly open: number
  readonly idle: number
  readonly waiting: number
  /** Maximum number of connections of this process. */
  readonly max: number
}

/** Types and statements that the two databases spell differently. */
export interface ColumnTypes {
  readonly dbType: 'SQLITE' | 'POSTGRESQL'
  /** Before the name of a table or function of the gateway in a statement of another role. */
  readonly prefix: RawBuilder<unknown>
  /** Compared byte by byte, case-sensitive. */
  readonly text: RawBuilder<unknown>
  readonly bytes: RawBuilder<unknown>
  /** The fastest numeric key. */
  readonly key: RawBuilder<unknown>
  /** Epoch milliseconds of the database's clock. */
  readonly clock: RawBuilder<number>
  /** Triggers that allow adding rows to the table, but no change or removal. */
  appendOnly(table: string): readonly RawBuilder<unknown>[]
  /** The rest of `appendOnly` if a row can be replaced without being deleted; may run again. */
  neverReplaced(table: string, key: string): readonly RawBuilder<unknown>[]
}

export interface BeginOptions {
  /** Milliseconds. */
  readonly wait: number
  readonly signal?: AbortSignal
  /**
   * Its statements are of handlers: they can neither reach the gateway's own tables nor outlive the session
   * (specification 5.15, 5.17).
   */
  readonly isRestricted?: boolean
  /** Milliseconds that the server keeps it while it is idle, instead of the usual time. */
  readonly idleLimit?: number
  /** Its values are portable (specification 5.60). */
  readonly isPortable?: boolean
  /** See HandlerTransactionOptions. */
  readonly isSerializable?: boolean
}

/** @param rows their memory; unlimited if omitted @param isOwn a statement of the gateway's own, not restricted */
export interface DatabaseSession {
  // biome-ignore lint/suspicious/noExplicitAny: Kysely knows the row, the session does not
  execute(query: CompiledQuery, rows?: RowMemory, isOwn?: boolean): Promise<QueryResult<any>>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  stream(query: CompiledQuery, chunkSize: number, rows?: RowMemory): AsyncIterableIterator<QueryResult<any>>
  insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>
  /** Restricts the rest of the session, as with `isRestricted`. */
  restrict(): void
  /**
   * Ends the session, also if it throws: then nothing was stored. @param final the gateway's own last statement, not restricted
   * @throws NothingReturned if that changes or returns no row
   */
  commit(final?: CompiledQuery): Promise<void>
  /** Ends the session; cancels a running statement. Never throws. */
  rollback(): Promise<void>
}

export class NothingReturned extends Error {
  constructor() {
    super('The last statement of the transaction returned no row')
  }
}
