/**
 * What an administrator can do, as data: request, response and permission. Routing, validation, permission, audit and
 * OpenAPI all use it (specification 18.13).
 */
import { z } from 'zod'
import type { Configuration } from '../configuration/configuration.ts'
import type { Gateway } from '../gateway.ts'
import type { Problem } from '../model/problem.ts'
import type { Settings } from '../settings.ts'
import type { AuditedStore, NewAuditEntry } from '../store/administration/contract.ts'
import type { Store } from '../store/store.ts'
import type { CommandLine } from './command-line.ts'
import type { ProblemCode } from './problem-details.ts'
import type { Role } from './roles.ts'

export type Access = 'public' | Role

/** The authenticated caller. */
export interface Caller {
  readonly name: string
  readonly role: Role
  /** The digest of the session's secret and its CSRF token; undefined for API tokens. */
  readonly session: { readonly digest: string; readonly csrfToken: string; readonly expires: number } | undefined
  /** The person at the terminal, over the project's database. */
  readonly isLocal?: true
  /** For the audit log: `session`, `token nightly`. */
  readonly via: string
  readonly signsInWith: 'password' | 'provider'
  /** A session that may only add one. */
  readonly lacksSecondFactor: boolean
}

/** What a revision is checked with before it is activated. */
export interface RevisionChecks {
  /** Checks the code that the configuration names and the active one does not. */
  checkHandlers(configuration: Configuration, active: Configuration): Promise<readonly Problem[]>
}

/** What every action has; those of administration itself have more. */
export interface ActionParts {
  readonly store: Store
  readonly settings: Settings
  /** Undefined for `ig`, which has the database only. */
  readonly gateway?: Gateway
  /** What the features of this process opened. */
  readonly opened: readonly object[]
  /** The active one; the files' if they are served. */
  configuration(): Promise<Configuration>
  /** Whether these names may be granted: an answer without one of them has all names that may. */
  permissionLists(names: readonly string[]): Promise<readonly string[]>
  /** What can check and activate revisions here; undefined if the process serves files. */
  readonly revisions?: RevisionChecks | undefined
  now(): number
  /** Says to a person at the terminal how far long work is. */
  tell?(text: string): void
}

export interface Input<Params, Query, Body, Parts = ActionParts> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The ETag in `If-Match`, if the route requires it. */
  readonly ifMatch: string
  /** Empty on public routes. */
  readonly caller: Caller
  readonly address: string
  /** The URL as the browser has it. */
  readonly url: string
  /** The cookie of a sign-in at the identity provider. */
  readonly flow: string | undefined
  readonly parts: Parts
  /** Queues password hashing by address. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  /** The store; each change writes its audit entry in the same transaction. */
  audited(change: AuditedChange | ((result: unknown) => AuditedChange)): AuditedStore
  /** Writes an audit entry for an action that does not change the store. */
  audit(change: AuditedChange): Promise<void>
}

export interface AuditedChange extends Pick<NewAuditEntry, 'subject' | 'before' | 'after'> {
  /** Who acts, if no one is signed in yet. */
  readonly actor?: string
  /** If it is not that of the route. */
  readonly action?: string
}

export interface Answer<Body> {
  readonly body?: Body
  /** The ETag without quotation marks. */
  readonly etag?: string
  readonly location?: string
  /** The session's secret to sign in; null to sign out. */
  readonly session?: string | null
  /** The cookie of a sign-in at the identity provider; null removes it. */
  readonly flow?: string | null
  /** Of an action that `streams`: each piece is made when the one before has been sent. */
  readonly stream?: { readonly type: string; readonly fileName: string; readonly pieces: AsyncIterable<string> }
}

export type Shape = z.ZodType
export interface Action<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Shape = Shape,
  A extends Shape = Shape,
  Parts = ActionParts,
> {
  readonly operationId: string
  /** What the console's audit says of it; the console has it from `npm run docs:tables`. */
  readonly done?: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/api/operators/:id` */
  readonly path: string
  readonly access: Access
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Maximum bytes of a body, if it is not that of all actions. */
  readonly bodyLimit?: number
  /** An example of the body. */
  readonly example?: unknown
  /** Without it, the status is 204. Members that it does not have are never sent. */
  readonly answer?: A
  /** Instead of `answer`: the content types of a file that is sent while it is made. */
  readonly streams?: readonly string[]
  /** 303: to the location. */
  readonly status?: 200 | 201 | 303
  /** Whether the response has an ETag. */
  readonly hasEtag?: boolean
  readonly needsIfMatch?: boolean
  /** Whether rejected secrets count towards the delays of failed logins. */
  readonly isGuarded?: boolean
  /** Whether a session without the required second factor may use it. */
  readonly isBeforeFactor?: boolean
  /** API tokens are refused; `ig` has it over the database only. */
  readonly needsSession?: true
  /** The page that shows a refusal by its code: browsers come to this route by navigation. */
  readonly refusedAt?: string
  /** How `ig` offers it. */
  readonly commandLine?: CommandLine<z.output<A>, z.output<P> & z.output<Q> & z.output<B>>
  /** Error codes besides those that follow from the other fields. */
  readonly problems?: readonly ProblemCode[]
  handle(input: Input<z.output<P>, z.output<Q>, z.output<B>, Parts>): Promise<Answer<Immutable<z.input<A>>>>
}

/** What the gateway has is immutable; the schema only reads it. */
type Immutable<T> = T extends readonly unknown[] | Readonly<Record<string, unknown>>
  ? { readonly [Key in keyof T]: Immutable<T[Key]> }
  : T

/** Infers the types of an action. */
export function action<
  P extends Shape = Nothing,
  Q extends Shape = Nothing,
  B extends Shape = Nothing,
  A extends Shape = Nothing,
>(definition: Action<P, Q, B, A>): Action {
  return definition as unknown as Action
}

const nothing = z.object({})
export type Nothing = typeof nothing

/** Whether the method changes nothing and so requires no CSRF token. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** The version in an ETag of a row; one that never exists if the ETag is invalid. */
export function toVersion(etag: string): number {
  return /^\d{1,15}$/.test(etag) ? Number(etag) : -1
}
