/** The contract of what the administration plane keeps in the store (specification 18): who administers, drafts, the audit. */
import type { AuditFacts, AuditLink, AuditVerdict } from '../../model/audit-chain.ts'
import type { ListName } from '../../model/configuration/canonical.ts'
import type { Changed, OperatorStore } from '../operator-store.ts'
import type { RevisionStore } from '../revision-store.ts'

export interface AdministrationStore {
  readonly administrators: AdministratorStore
  readonly sessions: SessionStore
  readonly tokens: TokenStore
  readonly invitations: InvitationStore
  readonly drafts: DraftStore
  readonly audit: AuditStore
}

export interface AuditedStore {
  readonly operators: OperatorStore
  readonly revisions: RevisionStore
  readonly administration: AdministrationStore
}

/** @param result what the changing method is about to return; no entry is made where nothing was changed */
export type DescribeChange = (result: unknown) => NewAuditEntry

export interface Administrator {
  readonly name: string
  readonly role: string
  readonly passwordHash: string
  readonly isLocked: boolean
  /** Epoch milliseconds, as all times here. */
  readonly created: number
  /** Another one after each change. */
  readonly version: number
}

export interface AdministratorStore {
  /** In order of name. */
  list(): Promise<readonly Administrator[]>
  find(name: string): Promise<Administrator | undefined>
  /** @returns false where the name exists already */
  add(administrator: NewAdministrator): Promise<boolean>
  /**
   * @returns false where no such administrator exists, or in another version than expected
   * @throws LastAdministrator where nobody would be left who may administer
   */
  change(
    name: string,
    change: AdministratorChange,
    expectedVersion?: number,
  ): Promise<Changed<Pick<Administrator, 'role' | 'isLocked'>> | false>
}

export type NewAdministrator = Pick<Administrator, 'name' | 'role' | 'passwordHash' | 'created'>
export interface AdministratorChange extends Partial<Pick<Administrator, 'role' | 'passwordHash' | 'isLocked'>> {
  /** When all sessions and API tokens of the person end with the change: the person's, or whoever had got hold of one. */
  readonly endAccess?: number
  /** When the API tokens of the person end, and the sessions do not. */
  readonly endTokens?: number | undefined
  /** The digest of the only session of the person that goes on. */
  readonly onlySession?: string
}

/** Nothing was changed: nobody who may change everything would have been left. */
export class LastAdministrator extends Error {
  override readonly name = 'LastAdministrator'
}

export interface Session {
  /** Of what the cookie holds, which is nowhere stored. */
  readonly digest: string
  readonly administrator: string
  readonly created: number
  readonly used: number
  readonly expires: number
}

export interface SessionStore {
  /** @returns false where the person's password is no longer the one that was verified */
  add(session: Session, verified: Pick<Administrator, 'passwordHash'>): Promise<boolean>
  find(digest: string): Promise<Session | undefined>
  touch(digest: string, used: number): Promise<true>
  remove(digest: string): Promise<boolean>
  removeExpired(now: number): Promise<true>
}

export interface ApiToken {
  readonly id: string
  readonly digest: string
  readonly name: string
  readonly role: string
  readonly administrator: string
  readonly created: number
  readonly expires: number
  readonly revoked: number | undefined
}

export interface TokenStore {
  /** The newest first. */
  list(): Promise<readonly ApiToken[]>
  /** @param session the digest of the one that asks @returns false where it has ended */
  add(token: Omit<ApiToken, 'revoked'>, session: string): Promise<boolean>
  findByDigest(digest: string): Promise<ApiToken | undefined>
  /** @returns false where it does not exist, or was revoked before */
  revoke(id: string, time: number): Promise<boolean>
}

export interface StoredInvitation {
  readonly digest: string
  readonly expires: number
}

/** One-time links by which an administrator is made: one is valid at a time. */
export interface InvitationStore {
  /** Adds it where none is valid. @returns the one that is valid now */
  ensure(invitation: StoredInvitation, now: number): Promise<StoredInvitation>
  /** In place of all others. */
  replace(invitation: StoredInvitation): Promise<true>
  /** Whether it could be used; that alone does not use it. */
  isOpen(digest: string, now: number): Promise<boolean>
  /** Makes the administrator, and ends all invitations. @returns false where it is none, is over, or the name is taken */
  accept(digest: string, administrator: NewAdministrator): Promise<boolean>
}

export interface Draft {
  readonly id: string
  readonly title: string
  /** The revision that it changes. */
  readonly base: number
  /** Grows with each change. */
  readonly version: number
  readonly created: number
  readonly createdBy: string
  readonly changed: number
  readonly changedBy: string
}

export interface DraftEdit {
  readonly list: ListName
  /** The id of the item in the base, or with which it was added. */
  readonly item: string
  /** JSON; null where the item is removed. */
  readonly value: string | null
  /** The draft's version that this edit made. */
  readonly version: number
}

export interface DraftChange {
  readonly by: string
  readonly time: number
}

export interface DraftStore {
  /** The last changed first. */
  list(): Promise<readonly Draft[]>
  find(id: string): Promise<Draft | undefined>
  add(draft: Pick<Draft, 'id' | 'title' | 'base'>, change: DraftChange): Promise<true>
  edits(id: string, list?: ListName): Promise<readonly DraftEdit[]>
  findEdit(id: string, list: ListName, item: string): Promise<DraftEdit | undefined>
  /**
   * @param value undefined takes the edit back
   * @returns the draft's new version; undefined where the draft is gone or rebased, or the item was edited meanwhile
   */
  edit(
    draft: Pick<Draft, 'id' | 'base'>,
    edit: Pick<DraftEdit, 'list' | 'item'> & { readonly value: string | null | undefined },
    /** The version of the edit that is replaced, 0 for none. */
    expectedVersion: number,
    change: DraftChange,
  ): Promise<number | undefined>
  /** Title or base. @returns false where it is gone, or has another version than expected */
  change(
    draft: Pick<Draft, 'id' | 'version'>,
    values: Partial<Pick<Draft, 'title' | 'base'>>,
    change: DraftChange,
  ): Promise<boolean>
  /** @returns false where it is gone, or has another version than expected */
  remove(id: string, expectedVersion?: number): Promise<boolean>
}

export interface NewAuditEntry extends AuditFacts {
  /** What can be JSON; secrets are masked by whoever makes the entry. */
  readonly before?: unknown
  readonly after?: unknown
}

export interface AuditEntry extends NewAuditEntry {
  /** Grows from one to the next. */
  readonly sequence: number
}

export interface AuditFilter {
  readonly actor?: string
  readonly action?: string
  /** Any part of the subject. */
  readonly subject?: string
  /** Of these actions only this actor's. */
  readonly own?: { readonly actions: readonly string[]; readonly actor: string } | undefined
  readonly from?: number
  readonly to?: number
  /** Only entries before this one. */
  readonly before?: number
  readonly limit: number
}

/** Nothing here changes or removes an entry, and the database lets nobody do so. */
export interface AuditStore {
  append(entry: NewAuditEntry): Promise<true>
  /** The newest first. */
  list(filter: AuditFilter): Promise<readonly AuditEntry[]>
  /** The last hash of the chain; undefined before the first entry. */
  head(): Promise<{ readonly sequence: number; readonly hash: string } | undefined>
  /** Every entry with its hash, the oldest first, some at a time. */
  walk(): AsyncIterable<readonly AuditLink[]>
  /** Whether the entries are those that were chained. @param head of an earlier time */
  verify(head?: string): Promise<AuditVerdict>
}
