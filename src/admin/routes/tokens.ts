/** API tokens of administrators (specification 18.11). */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { hasRole, isRole } from '../../actions/roles.ts'
import { administratorName, cutPage, name, pageOf, role, sorted, time, toTime } from '../../actions/schemas.ts'
import type { ApiToken } from '../../store/administration/contract.ts'
import { sessionEnded } from '../authenticate.ts'
import { route } from '../route.ts'
import { digestSecret, makeSecret } from '../secrets.ts'
import { requireSession } from './session.ts'

const tokenFields = { id: z.string(), name: z.string(), role, administrator: z.string(), created: time, expires: time }
const token = name('ApiToken', z.object({ ...tokenFields, revoked: time.nullable() }))
const newToken = name('NewApiToken', z.object({ ...tokenFields, token: z.string().describe('Shown only once') }))
const tag = 'Administrators'

export const tokenRoutes = [
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

function describeToken({ digest: _, role, created, expires, revoked, ...rest }: ApiToken) {
  return {
    ...rest,
    role: isRole(role) ? role : ('viewer' as const),
    created: toTime(created),
    expires: toTime(expires),
    revoked: revoked === undefined ? null : toTime(revoked),
  }
}
