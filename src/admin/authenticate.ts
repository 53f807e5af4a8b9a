/**
 * Who asks, and whether they may (specification 18.7 to 18.10): a session's cookie with its CSRF token, or an API token.
 * A route that says nothing of itself is refused to everyone.
 */
import type { FastifyRequest } from 'fastify'
import type { AdminParts } from './parts.ts'
import { AdminProblem } from './problem-details.ts'
import { hasRole, lowerRole } from './roles.ts'
import { type Access, type Caller, isSafe } from './route.ts'
import { areEqual, csrfTokenOf, digestSecret } from './secrets.ts'

/** Milliseconds. */
export const sessionIdle = 30 * 60_000
export const sessionLife = 12 * 3_600_000
const touchEvery = 60_000

export const nobody: Caller = { name: '', role: 'viewer', session: undefined, via: '' }

export interface Guard {
  readonly parts: AdminParts
  readonly cookieName: string
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
    return nobody
  }
  const { authorization } = request.headers
  const caller = authorization === undefined ? await readSession(request, guard) : await readToken(authorization, guard)
  if (!caller) {
    const headers = { 'www-authenticate': 'Bearer realm="administration"' }
    throw new AdminProblem('unauthenticated', 'The session is over, or the token is not valid.', { headers })
  }
  if (changes && caller.session) {
    requireSameOrigin(request)
    const token = request.headers['x-csrf-token']
    if (typeof token !== 'string' || !areEqual(token, caller.session.csrfToken))
      throw new AdminProblem('csrfRejected', "Send the session's csrfToken (GET /api/session) in x-csrf-token.")
  }
  if (access === undefined || !hasRole(caller.role, access))
    throw new AdminProblem('roleMissing', `This needs the role ${access}; yours is ${caller.role}.`)
  return caller
}

async function readSession({ cookies }: FastifyRequest, { parts, cookieName }: Guard): Promise<Caller | undefined> {
  const secret = cookies[cookieName]
  if (secret === undefined) return undefined
  const { sessions, administrators } = parts.store.administration
  const session = await sessions.find(digestSecret(secret))
  const now = parts.now()
  if (!session || session.expires <= now || session.used + sessionIdle <= now) return undefined
  const administrator = await administrators.find(session.administrator)
  if (!administrator || administrator.isLocked) return undefined
  if (session.used + touchEvery <= now) await sessions.touch(session.digest, Math.floor(now))
  return {
    name: administrator.name,
    role: lowerRole(administrator.role, administrator.role),
    session: { digest: session.digest, csrfToken: csrfTokenOf(secret), expires: session.expires },
    via: 'session',
  }
}

async function readToken(authorization: string, { parts }: Guard): Promise<Caller | undefined> {
  const [, secret] = /^bearer +([\w-]{20,200})$/i.exec(authorization) ?? []
  if (secret === undefined) return undefined
  const { tokens, administrators } = parts.store.administration
  const token = await tokens.findByDigest(digestSecret(secret))
  if (!token || token.revoked !== undefined || token.expires <= parts.now()) return undefined
  const owner = await administrators.find(token.administrator)
  if (!owner || owner.isLocked) return undefined
  return { name: owner.name, role: lowerRole(token.role, owner.role), session: undefined, via: `token ${token.name}` }
}

/** A browser says where a request comes from; what says nothing is no browser, and has no cookie by itself. */
function requireSameOrigin({ headers, protocol }: FastifyRequest): void {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new AdminProblem('originRejected', 'Requests of other sites are refused.')
  if (origin !== undefined && origin !== `${protocol}://${host}`)
    throw new AdminProblem('originRejected', 'Requests of other origins are refused.')
}

/** Whoever reaches loopback by another name was sent there by a page of that name. */
export function requireHost(host: string | undefined, allowed: ReadonlySet<string> | undefined): void {
  if (!allowed || (host !== undefined && allowed.has(host.toLowerCase()))) return
  throw new AdminProblem('hostRejected', `Use ${[...allowed][0]}.`)
}
