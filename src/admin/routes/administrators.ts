/** Administrators and their API tokens (specification 18.8, 18.11, 18.12). */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { toVersion } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { hasRole, isRole } from '../../actions/roles.ts'
import {
  administratorName,
  cutPage,
  name,
  pageOf,
  password,
  role,
  signsInWith,
  sorted,
  time,
  toTime,
} from '../../actions/schemas.ts'
import { type Administrator, type ApiToken, LastAdministrator } from '../../store/administration/contract.ts'
import type { Factor } from '../../store/administration/factors-contract.ts'
import type { ValueChange } from '../../store/operator-store.ts'
import { sessionEnded } from '../authenticate.ts'
import { hashNewPassword } from '../require-password.ts'
import { route } from '../route.ts'
import { digestSecret, makeSecret } from '../secrets.ts'
import { requireSession } from './session.ts'

const administrator = name(
  'Administrator',
  z.object({ name: z.string(), role, isLocked: z.boolean(), created: time, signsInWith, secondFactors: z.int() }),
)
const tokenFields = { id: z.string(), name: z.string(), role, administrator: z.string(), created: time, expires: time }
const token = name('ApiToken', z.object({ ...tokenFields, revoked: time.nullable() }))
const newToken = name('NewApiToken', z.object({ ...tokenFields, token: z.string().describe('Shown only once') }))
const byName = z.object({ name: z.string() })
const tag = 'Administrators'

export const administratorRoutes = [
  route({
    operationId: 'listAdministrators',
    tag,
    summary: 'List administrators',
    method: 'GET',
    path: '/api/administrators',
    access: 'administrator',
    query: sorted,
    answer: pageOf(administrator),
    async handle({ parts, query }) {
      const { administrators, factors } = parts.store.administration
      const [all, ofAll] = [await administrators.list(), await factors.list()]
      return {
        body: cutPage(
          all.map((each) => describe(each, ofAll)),
          query,
        ),
      }
    },
  }),
  route({
    operationId: 'getAdministrator',
    tag,
    summary: 'Get an administrator',
    method: 'GET',
    path: '/api/administrators/:name',
    access: 'administrator',
    params: byName,
    answer: administrator,
    hasEtag: true,
    async handle({ parts, params }) {
      const found = await parts.store.administration.administrators.find(params.name)
      if (!found) throw notFound(`administrator ${params.name}`)
      const factors = await parts.store.administration.factors.list(found.name)
      return { body: describe(found, factors), etag: String(found.version) }
    },
  }),
  route({
    operationId: 'createAdministrator',
    done: 'Added an administrator',
    tag,
    summary: 'Add an administrator',
    method: 'POST',
    path: '/api/administrators',
    access: 'administrator',
    body: name('NewAdministrator', z.object({ name: administratorName, role, password })),
    example: { name: 'sam', role: 'viewer', password: 'a long sentence is a good one' },
    answer: administrator,
    status: 201,
    problems: ['conflict', 'sessionRequired'],
    async handle({ body, parts, caller, audited }) {
      requireSession(caller)
      const created = Math.floor(parts.now())
      const made = {
        name: body.name,
        role: body.role,
        passwordHash: await hashNewPassword(body.password, body.name),
        created,
      }
      const { administration } = audited({ subject: body.name, after: { role: body.role } })
      if (!(await administration.administrators.add(made)))
        throw new AdminProblem('conflict', `Administrator ${body.name} already exists.`)
      return {
        body: describe({ ...made, isLocked: false, identity: undefined }, []),
        location: `/api/administrators/${encodeURIComponent(body.name)}`,
      }
    },
  }),
  route({
    operationId: 'changeAdministrator',
    done: 'Changed an administrator',
    tag,
    summary: 'Change the role, lock or unlock; takes effect with the next request',
    method: 'PATCH',
    path: '/api/administrators/:name',
    access: 'administrator',
    params: byName,
    needsIfMatch: true,
    body: name('AdministratorChange', z.object({ role: role.optional(), isLocked: z.boolean().optional() })),
    example: { role: 'operator' },
    problems: ['conflict', 'sessionRequired'],
    async handle({ params, body, ifMatch, parts, caller, audited }) {
      requireSession(caller)
      const { name } = params
      const found = await parts.store.administration.administrators.find(name)
      if (!found) throw notFound(`administrator ${name}`)
      const { role, isLocked } = body
      if (role !== undefined && role !== found.role) requirePasswordOf(found, 'decides the role')
      const change = { ...(role !== undefined && { role }), ...(isLocked !== undefined && { isLocked }) }
      const { administration } = audited((result) => ({ subject: name, ...(result as ValueChange<unknown>) }))
      const isChanged = await administration.administrators.change(name, change, toVersion(ifMatch)).catch(refuseLast)
      if (!isChanged) throw new AdminProblem('preconditionFailed', 'Read the administrator again.')
      return {}
    },
  }),
  route({
    operationId: 'setAdministratorPassword',
    done: "Set an administrator's password",
    tag,
    summary: "Set a new password; ends the administrator's sessions and API tokens",
    method: 'PUT',
    path: '/api/administrators/:name/password',
    access: 'administrator',
    params: byName,
    body: name('NewPassword', z.object({ password })),
    problems: ['conflict', 'sessionRequired'],
    async handle({ params, body, parts, caller, audited }) {
      requireSession(caller)
      const found = await parts.store.administration.administrators.find(params.name)
      if (found) requirePasswordOf(found, 'has the password')
      const passwordHash = await hashNewPassword(body.password, params.name)
      const endAccess = Math.floor(parts.now())
      const change = { subject: params.name, before: { password: '***' }, after: { password: '***' } }
      if (!(await audited(change).administration.administrators.change(params.name, { passwordHash, endAccess })))
        throw notFound(`administrator ${params.name}`)
      return {}
    },
  }),
  route({
    operationId: 'listTokens',
    tag,
    summary: 'List your API tokens; for administrators, all',
    method: 'GET',
    path: '/api/tokens',
    access: 'viewer',
    query: sorted,
    answer: pageOf(token),
    async handle({ parts, query, caller }) {
      const all = await parts.store.administration.tokens.list()
      const seen = all.filter(({ administrator }) => isOwner(caller, administrator))
      return { body: cutPage(seen.map(describeToken), query) }
    },
  }),
  route({
    operationId: 'createToken',
    done: 'Created an API token',
    tag,
    summary: 'Create an API token for a script',
    description: "The token never has more rights than its owner's current role. The store has only its digest.",
    method: 'POST',
    path: '/api/tokens',
    access: 'viewer',
    body: name(
      'TokenRequest',
      z.object({
        name: administratorName, // the audit log shows it after "token"
        role,
        days: z.int().min(1).max(366).default(90).describe('Days until it expires'),
      }),
    ),
    example: { name: 'nightly', role: 'operator', days: 30 },
    answer: newToken,
    status: 201,
    problems: ['sessionRequired'],
    async handle({ body, caller, parts, audited }) {
      const session = requireSession(caller)
      if (!hasRole(caller.role, body.role))
        throw new AdminProblem('roleMissing', `Your role is ${caller.role}; a token cannot have a higher one.`)
      const secret = makeSecret()
      const created = Math.floor(parts.now())
      const { name, role, days } = body
      const made = {
        id: randomUUID(),
        name,
        role,
        administrator: caller.name,
        created,
        expires: created + days * 86_400_000,
      }
      const { administration } = audited({ subject: made.id, after: { name, role, expires: toTime(made.expires) } })
      if (!(await administration.tokens.add({ ...made, digest: digestSecret(secret) }, session.digest)))
        throw sessionEnded()
      return {
        body: { ...made, created: toTime(made.created), expires: toTime(made.expires), token: secret },
        location: `/api/tokens/${made.id}`,
      }
    },
  }),
  route({
    operationId: 'revokeToken',
    done: 'Revoked an API token',
    tag,
    summary: 'Revoke an API token; takes effect with the next request',
    method: 'DELETE',
    path: '/api/tokens/:id',
    access: 'viewer',
    params: z.object({ id: z.string() }),
    async handle({ params, caller, parts, audited }) {
      const found = (await parts.store.administration.tokens.list()).find(({ id }) => id === params.id)
      if (!found || !isOwner(caller, found.administrator)) throw notFound(`token ${params.id}`)
      const { administration } = audited({ subject: found.id, before: { name: found.name, role: found.role } })
      await administration.tokens.revoke(found.id, Math.floor(parts.now()))
      return {}
    },
  }),
]

function isOwner(caller: { readonly name: string; readonly role: string }, administrator: string): boolean {
  return caller.role === 'administrator' || caller.name === administrator
}

function requirePasswordOf({ name, identity }: Administrator, why: string): void {
  if (!identity) return
  throw new AdminProblem('conflict', `${name} signs in with the identity provider, which ${why}.`)
}

function refuseLast(error: unknown): never {
  if (!(error instanceof LastAdministrator)) throw error
  throw new AdminProblem(
    'conflict',
    'This is the last unlocked administrator. Give another person the role administrator first.',
  )
}

function describe(
  { name, role, isLocked, created, identity }: Omit<Administrator, 'passwordHash' | 'version'>,
  factors: readonly Pick<Factor, 'administrator'>[],
) {
  return {
    name,
    role: isRole(role) ? role : ('viewer' as const),
    isLocked,
    created: toTime(created),
    signsInWith: identity ? ('provider' as const) : ('password' as const),
    secondFactors: factors.filter(({ administrator }) => administrator === name).length,
  }
}

function describeToken({ digest: _, role, created, expires, revoked, ...rest }: ApiToken) {
  return {
    ...rest,
    role: isRole(role) ? role : ('viewer' as const),
    created: toTime(created),
    expires: toTime(expires),
    revoked: revoked === undefined ? null : toTime(revoked),
  }
}
