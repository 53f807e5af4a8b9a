/**
 * The store's contract: rows in, objects out; the same over SQLite and PostgreSQL. Calls never read operators or
 * changes from it: the gateway holds operators in memory and follows `changesSince`.
 */

import type { Activation } from '../configuration/revision.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { Operator } from '../model/operator.ts'
import type { AdministrationStore, AuditedStore, DescribeChange } from './administration/contract.ts'
import type { DatabaseLoad } from './database.ts'
import type { StoreFault } from './faults.ts'
import type { Databases } from './feature-tables.ts'
import type { InstanceStore } from './instances.ts'
import type { OperatorStore } from './operator-store.ts'
import type { RevisionStore } from './revision-store.ts'
import type { Snapshot, SnapshotOptions } from './snapshots.ts'
import type { HandlerTransaction, HandlerTransactionOptions } from './transaction.ts'

export interface Store {
  readonly dbType: 'SQLITE' | 'POSTGRESQL'
  /** The schema of the gateway's tables on PostgreSQL. */
  readonly schema: string | undefined
  readonly operators: OperatorStore
  readonly revisions: RevisionStore
  /** Milliseconds that the database's clock is ahead of this machine's; 0 if the difference is insignificant. */
  readonly clockOffset: number
  /**
   * Counts stored times in the future as now, and deletes cached responses made then. @param now of this machine
   * @returns how many rows had such times
   */
  correctFutureTimes(now: number): Promise<number>
  /** The error of a write that failed because the disk is full; undefined once writes succeed. */
  readonly full: Error | undefined
  /** The damage of the database's file; undefined while it is as it was opened. */
  readonly fault: StoreFault | undefined
  readonly administration: AdministrationStore
  readonly instances: InstanceStore
  /** For the rows of features. */
  readonly databases: Databases
  /** The load of each pool: `handlers`, `own`, `cache`, `streams`. */
  load(): Readonly<Record<string, DatabaseLoad>>
  /** Parts of the store whose changes leave an entry in the audit: both are stored, or neither. */
  audited(describe: DescribeChange): AuditedStore
  /** The identity of the store: a copy of the database has the same. */
  identify(): Promise<string>
  /** The changes since an earlier poll, or since the `beginning`: everything. Cheap without changes; polled. */
  changesSince(cursor: ChangeCursor): Promise<Changes>
  /** A handler's transaction; nothing is opened before its first statement. */
  openHandlerTransaction(options: HandlerTransactionOptions): HandlerTransaction
  /** The database as it is at its first statement, for a handler's stream. @throws Refusal overloaded if all are open */
  openSnapshot(options: SnapshotOptions): Snapshot
  /**
   * Runs the project's pending migrations in order of name, each in one transaction; safe if two processes start at
   * once.
   */
  migrate(migrations: readonly ProjectMigration[]): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Changes {
  /** For the next poll. */
  readonly cursor: ChangeCursor
  /** Operators added or changed. A change may come twice, but is never missed. */
  readonly operators: readonly Operator[]
  /** Ids. */
  readonly removedOperators: readonly string[]
  /** The active activation, if it is new. */
  readonly activation: Activation | undefined
}

/** The position of a poll. */
export interface ChangeCursor {
  readonly operators: number
  readonly activations: number
}

/** The cursor before the first change. */
export const beginning: ChangeCursor = { operators: -1, activations: -1 }

/** A module of `migrations/`. */
export interface ProjectMigration {
  /** Unique: the database records by it that the migration has run. */
  readonly name: string
  /** Changes the project's tables, in one transaction. */
  up(database: HandlerDatabase): Promise<void>
}
