/**
 * The store's contract: rows in, objects out; the same over SQLite and PostgreSQL. Calls never read operators or
 * changes from it: the gateway holds operators in memory and follows `changesSince`.
 */

import type { Activation } from '../model/configuration/revision.ts'
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
  /** Of the gateway's own tables, on PostgreSQL. */
  readonly schema: string | undefined
  readonly operators: OperatorStore
  readonly revisions: RevisionStore
  readonly restCache: RestCacheStore
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
  /** By pool: `handlers`, `own`, `cache`, `streams`. */
  load(): Readonly<Record<string, DatabaseLoad>>
  /** Parts of the store whose changes leave an entry in the audit: both are stored, or neither. */
  audited(describe: DescribeChange): AuditedStore
  /** The identity of the store: a copy of the database has the same. */
  identify(): Promise<string>
  /** The changes since an earlier poll; everything without one. Cheap without changes; polled. */
  changesSince(cursor: ChangeCursor | undefined): Promise<Changes>
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
  /** Operators added or changed; operators are never removed. A change may come twice, but is never missed. */
  readonly operators: readonly Operator[]
  /** Ids. */
  readonly removedOperators: readonly string[]
  /** The active activation, if it is new. */
  readonly activation: Activation | undefined
  /** REST cache generations by operation id, added or raised. */
  readonly cacheGenerations: ReadonlyMap<string, number>
}

/** The position of a poll: several epochs, because SQLite keeps some of them in another file. */
export interface ChangeCursor {
  readonly operators: number
  readonly activations: number
  readonly cacheGenerations: number
}

/** Rows of the REST cache, separate from handlers' transactions so that neither ever waits for the other. */
export interface RestCacheStore {
  /** Operations that ever cached anything, with their current generation, from 0: entries of others are deleted. */
  generations(): Promise<ReadonlyMap<string, number>>
  /** An entry of the current generation, expired or not; status 0: the mark of a deleted one. */
  find(key: string): Promise<CacheRow | undefined>
  /**
   * Inserts, or replaces an entry that has expired or is of an older generation. Adds the operation to `generations`.
   * @returns false if a valid entry exists, which stays
   */
  put(key: string, row: CacheRow, now: number): Promise<boolean>
  /**
   * Raises the operation's generation, which every process sees by `changesSince`; leaves marks of its rows. @returns
   * the new generation
   */
  deleteOperation(operationId: string): Promise<number>
  /**
   * Takes or extends the owner's claim for the given number of milliseconds. One process at a time has a claim.
   * @returns false if another owner has it
   */
  claim(key: string, owner: string, lease: number): Promise<boolean>
  /** Releases the owner's claim. */
  release(key: string, owner: string): Promise<void>
  /** Removes an expired entry, including the mark that it existed. */
  forget(key: string): Promise<void>
  /** Deletes the entries of one URL or of one operator: the operation's others join the new generation. */
  deleteSome(
    operationId: string,
    only: { readonly url: string } | { readonly operator: string },
  ): Promise<{ readonly generation: number; readonly deleted: number }>
  /** Entries that can answer calls, the newest first. */
  list(filter: CacheFilter): Promise<CachePage>
  /** Deletes rows that expired long ago and, oldest first, those over the limits. */
  prune(now: number, bounds: { readonly maxBytes: number; readonly maxEntries: number }): Promise<void>
}

export interface CacheRow {
  readonly operationId: string
  readonly generation: number
  /** Epoch milliseconds. */
  readonly expires: number
  readonly status: number
  /** Flat: name, value… */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly url?: string
  readonly operator?: string
}

export interface CacheFilter {
  readonly operationId?: string
  readonly now: number
  readonly offset: number
  readonly limit: number
}

export interface CachePage {
  readonly entries: readonly CacheEntry[]
  /** Of all pages. */
  readonly total: number
  readonly bytes: number
}

export interface CacheEntry {
  readonly operationId: string
  readonly url: string | null
  readonly operator: string | null
  readonly expires: number
  readonly status: number
  /** In bytes. */
  readonly size: number
}

export interface ProjectMigration {
  readonly name: string
  up(database: HandlerDatabase): Promise<void>
}
