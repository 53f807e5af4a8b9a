/**
 * The store's contract: rows in, nouns out; the same over SQLite and PostgreSQL. Reading operators and changes never
 * happens on the path of a call: the gateway holds operators in memory and follows `changesSince`.
 */

import type { Activation } from '../model/configuration/revision.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { Operator } from '../model/operator.ts'
import type { AdministrationStore, AuditedStore, DescribeChange } from './administration/contract.ts'
import type { DatabaseLoad } from './database.ts'
import type { StoreFault } from './faults.ts'
import type { InstanceStore } from './instances.ts'
import type { OperatorStore } from './operator-store.ts'
import type { RevisionStore } from './revision-store.ts'
import type { HandlerTransaction, HandlerTransactionOptions } from './transaction.ts'

export interface Store {
  readonly dbType: 'SQLITE' | 'POSTGRESQL'
  readonly operators: OperatorStore
  readonly revisions: RevisionStore
  readonly restCache: RestCacheStore
  /** Milliseconds that the database's clock is ahead of this machine's; 0 where they are as good as one. */
  readonly clockOffset: number
  /** The error of a write that failed because the disk is full; undefined once writes succeed. */
  readonly full: Error | undefined
  /** What is wrong with the database's file; undefined while it is as it was opened. */
  readonly fault: StoreFault | undefined
  readonly administration: AdministrationStore
  readonly instances: InstanceStore
  /** By pool: `handlers`, `own`, `cache`. */
  load(): Readonly<Record<string, DatabaseLoad>>
  /** Parts of the store, of which each change leaves an entry in the audit: both are stored, or neither. */
  audited(describe: DescribeChange): AuditedStore
  /** Which store this is: a copy of the database is the same one. */
  identify(): Promise<string>
  /** What changed since an earlier look; everything where there was none. Cheap when nothing changed; polled. */
  changesSince(cursor: ChangeCursor | undefined): Promise<Changes>
  /** A handler's transaction; nothing is opened before its first statement. */
  openHandlerTransaction(options: HandlerTransactionOptions): HandlerTransaction
  /** Runs the project's own migrations that have not run yet, in order of name, each in one transaction, safe when two processes start at once. */
  migrate(migrations: readonly ProjectMigration[]): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Changes {
  /** For the next look. */
  readonly cursor: ChangeCursor
  /** Operators added or changed; operators are never removed. A change may come twice, and is never missed. */
  readonly operators: readonly Operator[]
  /** The activation in force, where it is a new one. */
  readonly activation: Activation | undefined
  /** REST cache generations by operation id, added or raised. */
  readonly cacheGenerations: ReadonlyMap<string, number>
}

/** How far a look at the changes came: an epoch each, because SQLite keeps some in a file of their own. */
export interface ChangeCursor {
  readonly operators: number
  readonly activations: number
  readonly cacheGenerations: number
}

/** Rows of the REST cache, kept apart from handlers' transactions so that neither ever waits for the other. */
export interface RestCacheStore {
  /** Operations that ever cached anything, with the generation in force, from 0: entries of another one are gone. */
  generations(): Promise<ReadonlyMap<string, number>>
  /** An entry of the generation in force, expired or not; status 0: it was deleted, and this is the mark it left. */
  find(key: string): Promise<CacheRow | undefined>
  /**
   * Inserts, or replaces one that has expired or is of an older generation. Makes the operation known in `generations`.
   * @returns false where another one is there, and stays
   */
  put(key: string, row: CacheRow, now: number): Promise<boolean>
  /** Raises the operation's generation, which every process sees by `changesSince`; leaves marks of its rows. @returns the new generation */
  deleteOperation(operationId: string): Promise<number>
  /**
   * Makes it the owner's for so many milliseconds, or for as many more. Of all processes one at a time has a claim.
   * @returns false where it is another's
   */
  claim(key: string, owner: string, lease: number): Promise<boolean>
  /** Gives the owner's claim back. */
  release(key: string, owner: string): Promise<void>
  /** Removes an entry that has expired, and with it the mark that there was one. */
  forget(key: string): Promise<void>
  /** Deletes one URL of an operation: rows of the others join the new generation. */
  deleteUrl(operationId: string, url: string): Promise<{ readonly generation: number; readonly deleted: number }>
  /** What calls could be answered from, the newest first. */
  list(filter: CacheFilter): Promise<CachePage>
  /** Deletes rows that expired long ago and, oldest first, those over the bounds. */
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
