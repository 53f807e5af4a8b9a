/**
 * Authentication and permission (specification 18.7 to 18.10): a session's cookie with its CSRF token, or an API token.
 * A route without a stated permission is refused to everyone.
 */
import type { FastifyRequest } from 'fastify'
import { type Access, type Caller, isSafe } from '../actions/action.ts'
import { AdminProblem } from '../actions/problem-details.ts'
import { hasRole, lowerRole, type Role } from '../actions/roles.ts'
import type { Arrival } from '../model/arrival.ts'
import type { AdminSettings } from '../settings.ts'
import type { Administrator, SessionStore } from '../store/administration/contract.ts'
import type { Cookies } from './cookies.ts'
import type { CallerLookup, Fallback } from './fallback.ts'
import type { AdminParts } from './parts.ts'
import { areEqual, csrfTokenOf, digestSecret } from './secrets.ts'
import { roleOf } from './sign-in/role-of-claims.ts'

/** Milliseconds. */
export const sessionIdle = 30 * 60_000
const touchEvery = 60_000

export const anonymous: Caller = {
  name: '',
  role: 'viewer',
  session: undefined,
  via: '',
  signsInWith: 'password',
  lacksSecondFactor: false,
}

export interface Guard {
  readonly parts: AdminParts
  readonly fallback: Fallback<Caller>
  readonly cookies: Pick<Cookies, 'readSession'>
}

/** @throws AdminProblem */
export async function requireCaller(
  request: FastifyRequest,
  access: Access | undefined,
  guard: Guard,
): Promise<Caller> {
  const changes = !isSafe(request.method)
  if (access === 'public') {
    if (changes) requireSameOrigin(request)
    return anonymous
  }
  const caller = await findCaller(request, !changes, guard)
  if (!caller) throw sessionEnded()
  if (changes && caller.session) {
    requireSameOrigin(request)
    const token = request.headers['x-csrf-token']
    if (typeof token !== 'string' || !areEqual(token, caller.session.csrfToken))
      throw new AdminProblem('csrfRejected', "Send the session's csrfToken (GET /api/session) in x-csrf-token.")
  }
  if (caller.lacksSecondFactor && !request.routeOptions.config.isBeforeFactor)
    throw new AdminProblem('secondFactorMissing', 'Add an authenticator app or a passkey under Your account.')
  if (access === undefined || !hasRole(caller.role, access))
    throw new AdminProblem('roleMissing', `This needs the role ${access}; yours is ${caller.role}.`)
  return caller
}

export function sessionEnded(): AdminProblem {
  const headers = { 'www-authenticate': 'Bearer realm="administration"' }
  return new AdminProblem('unauthenticated', 'The session has ended or the token is invalid.', { headers })
}

async function findCaller(request: FastifyRequest, mayFallBack: boolean, guard: Guard) {
  const { parts, cookies, fallback } = guard
  const { authorization } = request.headers
  const isSession = authorization === undefined
  const secret = isSession ? cookies.readSession(request) : /^bearer +([\w-]{20,200})$/i.exec(authorization)?.[1]
  if (secret === undefined) return undefined
  const digest = digestSecret(secret)
  const read = () => (isSession ? readSession(secret, digest, parts) : readToken(digest, parts))
  return fallback.find(`${isSession ? 'session' : 'token'} ${digest}`, mayFallBack, read)
}

async function readSession(secret: string, digest: string, parts: AdminParts): CallerLookup<Caller> {
  const { store, provider, now: clock } = parts
  const { sessions, administrators } = store.administration
  const lately = usedLately.get(digest) ?? 0
  const session = await sessions.find(digest)
  const now = clock()
  if (!session) return undefined
  const used = Math.max(session.used, lately)
  if (session.expires <= now || used + sessionIdle <= now) return undefined
  const administrator = await administrators.find(session.administrator)
  const found = administrator && permit(administrator, provider)
  if (!found) return undefined
  if (used + touchEvery <= now) touch(sessions, digest, now)
  const caller: Caller = {
    ...found,
    session: { digest, csrfToken: csrfTokenOf(secret), expires: session.expires },
    via: 'session',
    lacksSecondFactor: await lacksFactor(found, parts),
  }
  return { caller, expires: session.expires }
}

/** Uses that are not stored yet, by digest. */
const usedLately = new Map<string, number>()

/** Not awaited: reading must not wait for a handler's transaction, and must work if the store is read-only. */
function touch(uses: Pick<SessionStore, 'touch'>, digest: string, now: number): void {
  usedLately.set(digest, now)
  uses
    .touch(digest, Math.floor(now))
    .catch(() => {}) // a session only ends sooner
    .finally(() => {
      if (usedLately.get(digest) === now) usedLately.delete(digest)
    })
}

/** The identity provider requires second factors itself. */
async function lacksFactor({ name, signsInWith }: Pick<Caller, 'name' | 'signsInWith'>, parts: AdminParts) {
  if (parts.settings.admin?.secondFactor !== 'required' || signsInWith === 'provider') return false
  return (await parts.store.administration.factors.list(name)).length === 0
}

/** @returns undefined if the person has no access any more */
function permit(
  administrator: Administrator,
  provider: AdminParts['provider'],
): { name: string; role: Role; signsInWith: Caller['signsInWith'] } | undefined {
  const { name, isLocked, identity } = administrator
  const role = isLocked ? undefined : roleOf(administrator, provider?.settings)
  return role && { name, role, signsInWith: identity ? 'provider' : 'password' }
}

async function readToken(digest: string, { store, provider, now: clock }: AdminParts): CallerLookup<Caller> {
  const { tokens, administrators } = store.administration
  const token = await tokens.findByDigest(digest)
  const now = clock()
  if (!token || token.revoked !== undefined || token.expires <= now) return undefined
  const owner = await administrators.find(token.administrator)
  const found = owner && permit(owner, provider)
  if (!found) return undefined
  if (Math.max(token.used ?? 0, usedLately.get(digest) ?? 0) + touchEvery <= now) touch(tokens, digest, now)
  const role = lowerRole(token.role, found.role)
  const caller: Caller = { ...found, role, session: undefined, via: `token ${token.name}`, lacksSecondFactor: false }
  return { caller, expires: token.expires }
}

/** Browsers state the origin of a request. Clients that do not are not browsers, and send no cookie unasked. */
function requireSameOrigin({ headers, arrival }: FastifyRequest): void {
  const { origin } = headers
  const { isSecure, host = headers.host } = arrival
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new AdminProblem('originRejected', 'Requests from other sites are refused.')
  if (origin !== undefined && origin !== `${isSecure ? 'https' : 'http'}://${host}`)
    throw new AdminProblem('originRejected', 'Requests from other origins are refused.')
}

/** @throws AdminProblem if administration is allowed to other addresses only */
export function requireAddress({ remoteAddress }: Arrival, { allow }: Pick<AdminSettings, 'allow'>): void {
  if (!allow || allow.includes(remoteAddress)) return
  throw new AdminProblem('addressDenied', 'Administration cannot be used from your address (ig.admin.allow).')
}

/** A request to loopback by another host name comes from a page of that name (DNS rebinding). */
export function requireHost(host: string | undefined, allowed: ReadonlySet<string> | undefined): void {
  if (!allowed || (host !== undefined && allowed.has(host.toLowerCase()))) return
  throw new AdminProblem('hostRejected', `Use ${[...allowed][0]}.`)
}
