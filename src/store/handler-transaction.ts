/** A transaction of a handler or a job, as those who open it see it (specification 5.8, 5.9). */
import type { CompiledQuery } from 'kysely'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { RowMemory } from '../model/row-memory.ts'

export interface HandlerTransactionOptions {
  /** Milliseconds that the first statement may wait for the writer or a connection; then Refusal `overloaded`. */
  readonly wait: number
  /** Aborts the wait and makes further statements fail. */
  readonly signal: AbortSignal
  /** The memory of its rows; unlimited if omitted. */
  readonly rows?: RowMemory
  /**
   * From its first statement it has the writer (SQLite) or is serializable (PostgreSQL): what it reads does not change
   * until its commit.
   */
  readonly isSerializable?: boolean
  /** Its commit rolls back (specification 41.3). */
  readonly isTrial?: boolean
  /** See Waiting. */
  readonly idleLimit?: number
  /** Whether values are portable (specification 5.60). */
  readonly isPortable?: boolean
  /** Called before each statement, with what it does; what it returns is called at its end. */
  readonly watch?: (summary: string) => (error: unknown) => void
}

/** The gateway's last statement, also in a transaction without any other. If it finds no row nothing is stored. */
export interface FinalStatement {
  readonly query: CompiledQuery
  /** Thrown then. */
  fail(): Error
}

export interface HandlerTransaction {
  readonly database: HandlerDatabase
  /** Whether the transaction holds locks; on SQLite every other writer waits for it. */
  readonly holdsLocks: boolean
  /** It is serializable and failed because of another transaction: the same statements may succeed in a new one. */
  readonly isConflict: boolean
  /**
   * Does nothing without statements and without a final one. Throws, with nothing stored, if it fails or if an earlier statement failed, even
   * if the handler caught that error.
   */
  commit(final?: FinalStatement): Promise<void>
  /** A statement that does nothing, if it is open and idle: the server keeps it for `idleLimit` again. */
  touch(): Promise<void>
  /** Safe to call at any time, also after a commit, which then stands. Cancels a running statement. Never throws. */
  rollback(): Promise<void>
}
