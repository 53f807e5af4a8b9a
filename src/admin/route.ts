/**
 * A route of the administration API as data: what it is given, what it answers, who may. Routing, validation,
 * permission, audit and the OpenAPI are all read from it (specification 18.13).
 */
import { z } from 'zod'
import type { AuditedStore, NewAuditEntry } from '../store/administration/contract.ts'
import type { AdminParts } from './parts.ts'
import type { ProblemCode } from './problem-details.ts'
import type { Role } from './roles.ts'

export type Access = 'public' | Role

/** Who asks. */
export interface Caller {
  readonly name: string
  readonly role: Role
  /** The digest of the session's secret, and its CSRF token; undefined of a token. */
  readonly session: { readonly digest: string; readonly csrfToken: string; readonly expires: number } | undefined
  /** For the audit: `session`, `token nightly`. */
  readonly via: string
}

export interface Input<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Of `If-Match`, where the route asks for it. */
  readonly ifMatch: string
  /** Of a public route, an empty one. */
  readonly caller: Caller
  readonly address: string
  readonly parts: AdminParts
  /** Work on a password, when it is this address's turn. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  /** The store, of which each change leaves an entry in the audit, in one transaction with it. */
  audited(change: Change | ((result: unknown) => Change)): AuditedStore
  /** An entry for what is no change of the store. */
  audit(change: Change): Promise<void>
}

export interface Change extends Pick<NewAuditEntry, 'subject' | 'before' | 'after'> {
  /** Where nobody is signed in yet. */
  readonly actor?: string
}

export interface Answer<Body> {
  readonly body?: Body
  /** Without quotation marks. */
  readonly etag?: string
  readonly location?: string
  /** Signs in: the session's secret; signs out: null. */
  readonly session?: string | null
}

type Shape = z.ZodType
export interface Route<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Shape = Shape,
  A extends Shape = Shape,
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
  /** An example of the body. */
  readonly example?: unknown
  /** Left out: 204. What it does not name is never sent. */
  readonly answer?: A
  readonly status?: 200 | 201
  /** Answers with an ETag. */
  readonly hasEtag?: boolean
  readonly needsIfMatch?: boolean
  /** Attempts to guess a secret are counted. */
  readonly isGuarded?: boolean
  /** Besides those that follow from the rest. */
  readonly problems?: readonly ProblemCode[]
  handle(input: Input<z.output<P>, z.output<Q>, z.output<B>>): Promise<Answer<z.input<A>>>
}

const nothing = z.object({})
type Nothing = typeof nothing

/** Ties the types of a route together. */
export function route<
  P extends Shape = Nothing,
  Q extends Shape = Nothing,
  B extends Shape = Nothing,
  A extends Shape = Nothing,
>(definition: Route<P, Q, B, A>): Route {
  return definition as unknown as Route
}

/** Changes nothing, so that it needs no CSRF token. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

export function isPublic({ access }: Pick<Route, 'access'>): boolean {
  return access === 'public'
}

/** The version that an ETag of a row stands for; one that never was, where it is none. */
export function toVersion(etag: string): number {
  return /^\d{1,15}$/.test(etag) ? Number(etag) : -1
}
