/**
 * The contract of the administration plane's data in the store (specification 18): administrators, drafts, the audit.
 */

import type { ListName as AnyList } from '../../configuration/canonical.ts'
import type { Databases } from '../feature-tables.ts'
import type { OperatorStore, ValueChange } from '../operator-store.ts'
import type { RevisionStore } from '../revision-store.ts'
import type { AuditFacts, AuditLink, AuditVerdict } from './audit-chain.ts'
import type { FactorStore } from './factors-contract.ts'

type ListName = Exclude<AnyList, 'gateway'>

export interface AdministrationStore {
  readonly administrators: AdministratorStore
  readonly identities: IdentityStore
  readonly factors: FactorStore
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
  /** For the rows of features. */
  readonly databases: Databases
}

/** @param result the result of the changing method; without a change there is no entry */
export type DescribeChange = (result: unknown) => NewAuditEntry

export interface Administrator {
  readonly name: string
  readonly role: string
  readonly passwordHash: string
  readonly isLocked: boolean
  /** Epoch milliseconds, as all times here. */
  readonly created: number
  /** Replaced by each change. */
  readonly version: number
  /** Undefined if the person signs in with a password. */
  readonly identity: Identity | undefined
}

/** A person at an identity provider, where the subject is never given to another person. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** The values of the claim that gave the role at the last sign-in. */
  readonly claimed: readonly string[]
}

export interface AdministratorStore {
  /** Administrators in order of name. */
  list(): Promise<readonly Administrator[]>
  find(name: string): Promise<Administrator | undefined>
  /** @returns false if the name exists */
  add(administrator: NewAdministrator): Promise<boolean>
  /**
   * @returns false if no such administrator exists, or in another version than expected
   * @throws LastAdministrator if no one would be left who may administer
   */
  change(
    name: string,
    change: AdministratorChange,
    expectedVersion?: number,
  ): Promise<ValueChange<Pick<Administrator, 'role' | 'isLocked'>> | false>
}

export type NewAdministrator = Pick<Administrator, 'name' | 'role' | 'passwordHash' | 'created'>
export interface AdministratorChange extends Partial<Pick<Administrator, 'role' | 'passwordHash' | 'isLocked'>> {
  /** When a change ends all sessions and API tokens of the person, including stolen ones. */
  readonly endAccess?: number
  /** When the API tokens of the person end, but not the sessions. */
  readonly endTokens?: number | undefined
  /** The digest of the only session of the person that stays valid. */
  readonly onlySession?: string
}

/** Nothing changed: no full administrator would be left. */
export class LastAdministrator extends Error {
  override readonly name = 'LastAdministrator'
}

export interface Session {
  /** Digest of the cookie's value, which is not stored. */
  readonly digest: string
  readonly administrator: string
  readonly created: number
  readonly used: number
  readonly expires: number
}

export interface SessionStore {
  /** @returns false if the verified password is no longer the person's, or not enough: there is a second factor */
  add(session: Session, verified: Pick<Administrator, 'passwordHash'>): Promise<boolean>
  find(digest: string): Promise<Session | undefined>
  touch(digest: string, used: number): Promise<true>
  remove(digest: string): Promise<boolean>
  removeExpired(now: number): Promise<true>
}

export interface IdentityStore {
  find(identity: Pick<Identity, 'issuer' | 'subject'>): Promise<Administrator | undefined>
  /**
   * Adds the person, or gives the known one this role, and adds the session.
   * @param person its name is only for a new one
   * @returns false if the known person is locked, or the name of a new one exists
   */
  admit(
    person: NewAdministrator & { readonly identity: Identity },
    session: Omit<Session, 'administrator'>,
  ): Promise<(ValueChange<Pick<Administrator, 'role'> | undefined> & Pick<Administrator, 'name'>) | false>
  /** Ends the access of a person to whom the provider gives no role any more. @returns false if no such person is known */
  dismiss(identity: Pick<Identity, 'issuer' | 'subject'>, time: number): Promise<boolean>
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
  /** Of the last request with it, within a minute; undefined before the first. */
  readonly used: number | undefined
}

export interface TokenStore {
  /** The newest first. */
  list(): Promise<readonly ApiToken[]>
  /** @param session the digest of the requesting session, if there is one @returns false if that has ended */
  add(token: Omit<ApiToken, 'revoked' | 'used'>, session: string | undefined): Promise<boolean>
  findByDigest(digest: string): Promise<ApiToken | undefined>
  /** Stores the time of a request. */
  touch(digest: string, used: number): Promise<true>
  /** @returns false if it does not exist or is already revoked */
  revoke(id: string, time: number): Promise<boolean>
}

export interface StoredInvitation {
  readonly digest: string
  readonly expires: number
}

/** One-time links that create the first administrator: one is valid at a time, and none if there is an administrator. */
export interface InvitationStore {
  /** Adds it if none is valid. @returns the valid one; undefined if there are administrators */
  ensure(invitation: StoredInvitation, now: number): Promise<StoredInvitation | undefined>
  /** Replaces all others. @returns false if there are administrators */
  replace(invitation: StoredInvitation): Promise<boolean>
  /** Whether it is valid; does not use it. */
  isOpen(digest: string, now: number): Promise<boolean>
  /**
   * Creates the administrator and ends all invitations. @returns false if it is unknown or expired, or there are administrators
   */
  accept(digest: string, administrator: NewAdministrator): Promise<boolean>
}

export interface Draft {
  readonly id: string
  readonly title: string
  /** The revision that it changes. */
  readonly base: number
  /** Incremented by each change. */
  readonly version: number
  readonly created: number
  readonly createdBy: string
  readonly changed: number
  readonly changedBy: string
}

export interface DraftEdit {
  readonly list: ListName
  /** The id of the item in the base, or the id with which it was added. */
  readonly item: string
  /** JSON; null if the item is removed. */
  readonly value: string | null
  /** The draft's version after this edit. */
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
   * @param value undefined reverts the edit
   * @returns the draft's new version; undefined if the draft is gone or rebased, or the item was edited meanwhile
   */
  edit(
    draft: Pick<Draft, 'id' | 'base'>,
    edit: Pick<DraftEdit, 'list' | 'item'> & { readonly value: string | null | undefined },
    /** The version of the replaced edit, 0 for none. */
    expectedVersion: number,
    change: DraftChange,
  ): Promise<number | undefined>
  /** Title or base. @returns false if it is gone, or has another version than expected */
  change(
    draft: Pick<Draft, 'id' | 'version'>,
    values: Partial<Pick<Draft, 'title' | 'base'>>,
    change: DraftChange,
  ): Promise<boolean>
  /** @returns false if it is gone, or has another version than expected */
  remove(id: string, expectedVersion?: number): Promise<boolean>
}

/** The entry was made by `ig` over the database: its actor is a system user or `--as`, not an administrator. */
export const viaCommandLine = 'command line'

export interface NewAuditEntry extends AuditFacts {
  /** JSON values; the writer of the entry masks secrets. */
  readonly before?: unknown
  readonly after?: unknown
}

export interface AuditEntry extends NewAuditEntry {
  /** Increases with each entry. */
  readonly sequence: number
  /** A value was left out. */
  readonly isCut?: boolean
}

export interface AuditFilter {
  readonly actor?: string
  readonly action?: string
  /** One of these. */
  readonly actions?: readonly string[]
  /** A substring of the subject. */
  readonly subject?: string
  /** A substring of the value after the change, as JSON. */
  readonly afterHas?: string
  /** Leaves out entries of these actions that another actor made. */
  readonly own?: { readonly actions: readonly string[]; readonly actor: string } | undefined
  readonly from?: number
  readonly to?: number
  /** Only entries before this one. */
  readonly before?: number
  /** Only entries after this one, the oldest first. */
  readonly after?: number
  /** Leaves out longer values, in bytes of JSON. */
  readonly valuesUpTo?: number
  readonly limit: number
}

/** Nothing here changes or removes an entry, and the database refuses it. */
export interface AuditStore {
  append(entry: NewAuditEntry): Promise<true>
  /** The newest first, or after an entry the oldest. */
  list(filter: AuditFilter): Promise<readonly AuditEntry[]>
  /** The last hash of the chain; undefined before the first entry. */
  head(): Promise<{ readonly sequence: number; readonly hash: string } | undefined>
  /** A page of entries with their hashes after an entry, the oldest first; empty at the end. */
  page(after: number): Promise<readonly AuditLink[]>
  /** Verifies the chain. @param head an earlier head */
  verify(head?: string): Promise<AuditVerdict>
}
