/**
 * The store's contract: rows in, nouns out; the same over SQLite and PostgreSQL. Reading operators and changes never
 * happens on the path of a call: the gateway holds operators in memory and follows `changesSince`.
 */

import type { Activation, Revision, RevisionSummary } from '../model/configuration/revision.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { EmailAddress, Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import type { RowMemory } from '../model/row-memory.ts'
import type { AdministrationStore, AuditedStore, DescribeChange } from './administration/contract.ts'
import type { DatabaseLoad } from './database.ts'
import type { InstanceStore } from './instances.ts'

export interface Store {
  readonly dbType: 'SQLITE' | 'POSTGRESQL'
  readonly operators: OperatorStore
  readonly revisions: RevisionStore
  readonly restCache: RestCacheStore
  /** Milliseconds that the database's clock is ahead of this machine's; 0 where they are as good as one. */
  readonly clockOffset: number
  /** What it said when it had no room for what was to be written; undefined once it has. */
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

/**
 * The database cannot be opened or used as it is: unreachable, not permitted, not a database, newer than this gateway.
 * The message is for the administrator, complete, and free of passwords.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  /** It does not answer, so that nothing speaks against what was last known of it. */
  readonly isAway: boolean

  constructor(message: string, { isAway = false, ...options }: ErrorOptions & { readonly isAway?: boolean } = {}) {
    super(message, options)
    this.isAway = isAway
  }
}

export interface StoreFault {
  readonly name: 'storeFileGone' | 'storeDamaged'
  /** For people: what happened, and what to do. */
  readonly message: string
}

/**
 * The database does not answer, or the connection to it is lost. A call gets 503, and nothing of what it asked for is
 * stored, save where `isUnsure`: a commit was under way.
 */
export class StoreAway extends Refusal {
  readonly isUnsure: boolean

  constructor(
    reason: string,
    { cause, isUnsure = false }: { readonly cause?: unknown; readonly isUnsure?: boolean } = {},
  ) {
    super('overloaded', reason, { cause })
    this.isUnsure = isUnsure
  }
}

export interface OperatorStore {
  list(): Promise<readonly Operator[]>
  find(id: string): Promise<Operator | undefined>
  /** Another one after each change. Where one is expected, and another is there, nothing is changed. */
  versionOf(id: string): Promise<number | undefined>
  /** @returns false where the id exists already: nothing is changed then */
  add(operator: NewOperator): Promise<boolean>
  /** Each returns false where no such operator exists. */
  setPasswordHash(id: string, passwordHash: string): Promise<boolean>
  /** Replaces all of them. */
  setEmails(
    id: string,
    emails: readonly EmailAddress[],
    expectedVersion?: number,
  ): Promise<Changed<Pick<Operator, 'emails'>> | false>
  setDescription(
    id: string,
    description: string,
    expectedVersion?: number,
  ): Promise<Changed<Pick<Operator, 'description'>> | false>
  setLocked(id: string, isLocked: boolean): Promise<Changed<Pick<Operator, 'isLocked'>> | false>
  grant(id: string, permissionList: string): Promise<Changed<Pick<Operator, 'permissionLists'>> | false>
  /** False, too, where it does not hold the list. */
  revoke(id: string, permissionList: string): Promise<Changed<Pick<Operator, 'permissionLists'>> | false>
}

/** Both as they are inside the transaction that makes the change: nobody else's change comes in between. */
export interface Changed<T> {
  readonly before: T
  readonly after: T
}

export interface NewOperator {
  readonly id: string
  readonly description?: string
  readonly passwordHash?: string
  readonly emails?: readonly EmailAddress[]
  readonly isLocked?: boolean
  readonly permissionLists?: readonly string[]
}

/** Nothing here changes or removes a revision. */
export interface RevisionStore {
  /** The newest first. */
  list(): Promise<readonly RevisionSummary[]>
  find(number: number): Promise<Revision | undefined>
  /** What is in force; undefined before the first activation. */
  active(): Promise<Activation | undefined>
  /** The newest first. */
  activations(): Promise<readonly Activation[]>
  /** Numbers a revision, stores it and puts it in force: all of it, or nothing where another one is in force than expected. */
  add(revision: NewRevision, options: ActivationOptions): Promise<ActivationOutcome>
  /** Puts a revision of the store in force again, or does nothing, as above. */
  activate(number: number, options: ActivationOptions): Promise<ActivationOutcome>
}

export interface NewRevision {
  /** As `writeDocument` writes it. */
  readonly document: string
  readonly digest: string
}

export interface ActivationOptions {
  /** The revision that was in force when the change was decided; undefined for none. */
  readonly expectedActive: number | undefined
  /** Its activation, where no other one of the same revision is meant. */
  readonly expectedSequence?: number
  readonly note?: string
  /** Who makes the revision. */
  readonly author?: string
  /** Epoch milliseconds. */
  readonly time: number
}

export type ActivationOutcome =
  | { readonly activation: Activation }
  /** Nothing was done: this one is in force, not the expected one. */
  | { readonly activeInstead: number | undefined }

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

export interface HandlerTransactionOptions {
  /** Milliseconds that the first statement may wait for the writer or a connection; then Refusal `overloaded`. */
  readonly wait: number
  /** Aborts waiting and makes further statements fail. */
  readonly signal: AbortSignal
  /** What the rows of its statements hold; left out, nothing bounds them. */
  readonly rows?: RowMemory
}

export interface HandlerTransaction {
  readonly database: HandlerDatabase
  /**
   * Nothing to do where no statement ran. Throws, and nothing was stored, where it fails or where a statement of the
   * transaction failed before, even if the handler caught that.
   */
  commit(): Promise<void>
  /** Always safe to call, also after a commit, which stands then. Cancels what is running. Never throws. */
  rollback(): Promise<void>
}

export interface ProjectMigration {
  readonly name: string
  up(database: HandlerDatabase): Promise<void>
}
