/** API tokens of administrators (specification 18.11). */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ActionParts, action, type Caller } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { hasRole, type Role, toRole } from '../../actions/roles.ts'
import { administratorName, cutPage, name, pageOf, role, sorted, time, toTime } from '../../actions/schemas.ts'
import type { ApiToken } from '../../store/administration/contract.ts'
import { sessionEnded } from '../authenticate.ts'
import { digestSecret, makeSecret } from '../secrets.ts'

const tokenFields = { id: z.string(), name: z.string(), role, administrator: z.string(), created: time, expires: time }
const token = name(
  'ApiToken',
  z.object({
    ...tokenFields,
    revoked: time.nullable(),
    used: time.nullable().describe('The last request with it, within a minute'),
  }),
)
const newToken = name('NewApiToken', z.object({ ...tokenFields, token: z.string().describe('Shown only once') }))
const tag = 'Administrators'

export const tokenRoutes = [
  action({
    operationId: 'listTokens',
    tag,
    summary: 'List your API tokens; for administrators, all',
    method: 'GET',
    path: '/api/tokens',
    access: 'viewer',
    commandLine: {
      verb: 'token list',
      columns: {
        TOKEN: 'id',
        NAME: 'name',
        ADMINISTRATOR: 'administrator',
        ROLE: 'role',
        STATE: ({ revoked, expires }) =>
          revoked ? 'revoked' : Date.parse(expires) <= Date.now() ? 'expired' : 'active',
        EXPIRES: 'expires',
        'LAST USE': 'used',
      },
      empty: 'There are no API tokens yet. Create the first: ig token create <administrator>',
    },
    query: sorted,
    answer: pageOf(token),
    async handle({ parts, query, caller }) {
      const all = await parts.store.administration.tokens.list()
      const seen = all.filter(({ administrator }) => isOwner(caller, administrator))
      return { body: cutPage(seen.map(describeToken), query) }
    },
  }),
  action({
    operationId: 'createToken',
    done: 'Created an API token',
    tag,
    summary: 'Create an API token for a script',
    description: "The token never has more rights than its owner's current role. The store has only its digest.",
    method: 'POST',
    path: '/api/tokens',
    access: 'viewer',
    commandLine: {
      verb: 'token create',
      args: ['administrator'],
      inputs: {
        name: { fallback: 'automation', description: 'name of the token, shown in the audit' },
        role: { fallback: 'administrator', description: "never more than the administrator's own" },
        administrator: { description: 'whose token it is' },
        days: { description: 'days until it expires, at most 366; by default 90' },
      },
      file: 'token',
      isSecret: true,
      says: ({ name, administrator, expires }) =>
        `The token ${name} of ${administrator} is created. It expires at ${expires}.`,
    },
    needsSession: true,
    body: name(
      'TokenRequest',
      z.object({
        administrator: z
          .string()
          .optional()
          .describe("Whose token it is: yours, if absent; only ig names another, over the project's database"),
        name: administratorName.meta({
          title: 'Name',
          description: 'What the token is for. The audit shows it with each change',
        }),
        role,
        days: z.int().min(1).max(366).default(90).meta({ title: 'Days until it expires', description: '1 to 366' }),
      }),
    ),
    example: { name: 'nightly', role: 'operator', days: 30 },
    answer: newToken,
    status: 201,
    problems: ['accessDenied'],
    async handle({ body, caller, parts, audited }) {
      const owner = caller.isLocal
        ? await findOwner(body.administrator, parts)
        : requireSelf(body.administrator, caller)
      if (!hasRole(owner.role, body.role))
        throw new AdminProblem(
          'roleMissing',
          `${owner.name} has the role ${owner.role}; a token cannot have a higher one.`,
        )
      const secret = makeSecret()
      const created = Math.floor(parts.now())
      const { name, role, days } = body
      const made = {
        id: randomUUID(),
        name,
        role,
        administrator: owner.name,
        created,
        expires: created + days * 86_400_000,
      }
      const after = { name, role, administrator: owner.name, expires: toTime(made.expires) }
      const { tokens } = audited({ subject: made.id, after }).administration
      if (!(await tokens.add({ ...made, digest: digestSecret(secret) }, caller.session?.digest))) throw sessionEnded()
      return {
        body: { ...made, created: toTime(made.created), expires: toTime(made.expires), token: secret },
        location: `/api/tokens/${made.id}`,
      }
    },
  }),
  action({
    operationId: 'revokeToken',
    done: 'Revoked an API token',
    tag,
    summary: 'Revoke an API token; takes effect with the next request',
    method: 'DELETE',
    path: '/api/tokens/:id',
    access: 'viewer',
    commandLine: {
      verb: 'token revoke',
      args: ['id'],
      asks: ({ id }) => `Revoke the token ${id}?`,
      says: (_, { id }) => `The token ${id} is revoked.`,
    },
    params: z.object({ id: z.string().describe('The id of the token, as listed by ig token list') }),
    async handle({ params, caller, parts, audited }) {
      const found = (await parts.store.administration.tokens.list()).find(({ id }) => id === params.id)
      if (!found || !isOwner(caller, found.administrator)) throw notFound(`token ${params.id}`)
      const { administration } = audited({ subject: found.id, before: { name: found.name, role: found.role } })
      await administration.tokens.revoke(found.id, Math.floor(parts.now()))
      return {}
    },
  }),
]

interface Owner {
  readonly name: string
  readonly role: Role
}

/** @throws AdminProblem */
function requireSelf(administrator: string | undefined, caller: Caller): Owner {
  if (administrator === undefined || administrator === caller.name) return caller
  throw new AdminProblem('accessDenied', "Only ig creates tokens of others, over the project's database.")
}

/** The person at the terminal is no administrator and names one. @throws AdminProblem */
async function findOwner(administrator: string | undefined, { store }: ActionParts): Promise<Owner> {
  if (administrator === undefined)
    throw new AdminProblem('invalid', 'Name the administrator: ig token create <administrator>.')
  const found = await store.administration.administrators.find(administrator)
  if (!found) throw notFound(`administrator ${administrator}`)
  if (found.isLocked) throw new AdminProblem('conflict', `${found.name} is locked.`)
  return { name: found.name, role: toRole(found.role) }
}

function isOwner(caller: { readonly name: string; readonly role: string }, administrator: string): boolean {
  return caller.role === 'administrator' || caller.name === administrator
}

function describeToken({ digest: _, role, created, expires, revoked, used, ...rest }: ApiToken) {
  return {
    ...rest,
    role: toRole(role),
    created: toTime(created),
    expires: toTime(expires),
    revoked: revoked === undefined ? null : toTime(revoked),
    used: used === undefined ? null : toTime(used),
  }
}
