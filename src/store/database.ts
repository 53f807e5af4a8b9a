/**
 * What the store needs of a database, however it is reached; one implementation for SQLite, one for PostgreSQL. All
 * writing (a handler's, the gateway's own, migrations) is done in a `Session`: one transaction, from begin to end.
 */
import type { ColumnDataType, CompiledQuery, Dialect, Kysely, QueryResult, RawBuilder } from 'kysely'
import type { RowMemory } from '../model/row-memory.ts'
import type { DiskFull } from './disk-full.ts'
import type { StoreFault } from './faults.ts'
import type { Tables } from './tables.ts'

export interface Database {
  readonly dialect: Pick<Dialect, 'createAdapter' | 'createQueryCompiler' | 'createIntrospector'>
  readonly columnTypes: ColumnTypes
  /** The gateway's own reads, each on its own. They wait for no transaction. */
  readonly reader: Kysely<Tables>
  /** Present where a read outside a transaction is possible without waiting, in process. */
  readonly inProcess?: Pick<Session, 'execute' | 'stream'>
  /** Begins a transaction, or will with its first statement. @throws Refusal overloaded */
  begin(options: Waiting): Promise<Session>
  /** Last in each transaction of the gateway's own that changed something: the audit joins in here. */
  readonly beforeCommit?: (transaction: Kysely<Tables>, result: unknown) => Promise<void>
  /** Told how writing ended. */
  readonly diskFull?: DiskFull
  /** What is wrong with its file, where it has one. */
  fault?(): StoreFault | undefined
  /** Taken first in a migration's transaction: two processes may start at once. */
  lockMigrations(transaction: Kysely<Tables>): Promise<void>
  /** Connections that are open and idle, and who waits for one, or for the writer. */
  load(): DatabaseLoad
  /** Epoch milliseconds; absent where the database has the clock of this machine. */
  readClock?(): Promise<number>
  close(): Promise<void>
}

export interface DatabaseLoad {
  readonly open: number
  readonly idle: number
  readonly waiting: number
}

/** What the two databases call the same thing. */
export interface ColumnTypes {
  /** Compared byte by byte, letter case and all. */
  readonly text: ColumnDataType | RawBuilder<unknown>
  readonly bytes: ColumnDataType
  /** A number that a row is found by as fast as can be. */
  readonly key: ColumnDataType
  /** Triggers by which rows of the table can be added, and neither changed nor removed. */
  appendOnly(table: string): readonly RawBuilder<unknown>[]
  /** What `appendOnly` lacks where a row can be replaced without being deleted; may run again. */
  neverReplaced(table: string, key: string): readonly RawBuilder<unknown>[]
}

export interface Waiting {
  /** Milliseconds. */
  readonly wait: number
  readonly signal?: AbortSignal
  /** Its statements are of handlers: none may reach the gateway's own tables, nor outlast it (specification 5.15, 5.17). */
  readonly isRestricted?: boolean
}

/** @param rows what they hold; left out, nothing bounds them */
export interface Session {
  // biome-ignore lint/suspicious/noExplicitAny: Kysely knows the row, the session does not
  execute(query: CompiledQuery, rows?: RowMemory): Promise<QueryResult<any>>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  stream(query: CompiledQuery, chunkSize: number, rows?: RowMemory): AsyncIterableIterator<QueryResult<any>>
  prepareInsert(table: string, columns: readonly string[]): Promise<InsertRows>
  /** From here on as with `isRestricted`, until it ends. */
  restrict(): void
  /** Ends the session, also where it throws: then nothing was stored. */
  commit(): Promise<void>
  /** Ends the session; cancels what is running. Never throws. */
  rollback(): Promise<void>
}

/** Keeps no row once it has returned: what lives until the answer comes, the old space gets (decisions D-215). */
export type InsertRows = (rows: readonly (readonly unknown[])[]) => Promise<unknown>
