/** Operators, like the original's user profiles: e-mail addresses, grants, locks (specification 3.2, 18.19). */
import { z } from 'zod'
import { type ActionParts, action, toVersion } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { emailAddress, flag, inUrl, name, noUrl, pageOf, paging, password } from '../../actions/schemas.ts'
import { certificates, description, emailsOf } from '../../configuration/operator-schema.ts'
import { operatorId } from '../../configuration/schema.ts'
import { hasPassword, type Operator } from '../../model/operator.ts'
import type { OperatorQuery, ValueChange } from '../../store/operator-store.ts'
import type { Store } from '../../store/store.ts'
import { hashNewPassword } from '../require-password.ts'

const tag = 'Operators'
const operator = name(
  'Operator',
  z.object({
    id: z.string(),
    description: z.string(),
    isLocked: z.boolean(),
    hasPassword: z
      .boolean()
      .describe('Whether Basic authentication is possible; the password itself is never returned'),
    emails: z.array(emailAddress),
    certificates: z.array(z.string()).describe('Names of its client certificates'),
    permissionLists: z.array(z.string()),
  }),
)
const byId = z.object({ id: z.string() })
const emails = emailsOf(emailAddress)

export const operatorRoutes = [
  action({
    operationId: 'listOperators',
    tag,
    summary: 'List operators by id',
    method: 'GET',
    path: '/api/operators',
    access: 'viewer',
    commandLine: {
      verb: 'operator list',
      columns: {
        OPERATOR: 'id',
        STATE: ({ isLocked, hasPassword }) => (isLocked ? 'locked' : hasPassword ? 'active' : 'no password'),
        'PERMISSION LISTS': 'permissionLists',
        'E-MAIL': ({ emails }) => emails.map(({ address }) => address).join(', '),
        DESCRIPTION: 'description',
      },
      empty: 'There are no operators yet. Add the first: ig operator add <id>',
    },
    query: paging.extend({
      search: z.string().optional().describe('Part of id, description or address, case-insensitive'),
      isLocked: flag.optional(),
      permissionList: z.string().optional(),
      sort: z
        .string()
        .regex(/^-?(id|description|isLocked|permissionLists)$/, 'must be id, description, isLocked or permissionLists')
        .optional()
        .describe('One of these fields; - before it: descending'),
    }),
    answer: pageOf(operator).extend({ isMore: z.boolean().describe('Whether a search found more than `total`') }),
    async handle({ parts, query }) {
      const { sort = 'id', ...filter } = query
      const field = sort.replace(/^-/, '') as OperatorQuery['sort']
      const { operators, total, isMore } = await parts.store.operators.page({
        ...filter,
        sort: field,
        isDescending: sort !== field,
      })
      return { body: { items: operators.map(describe), total, isMore, offset: query.offset, limit: query.limit } }
    },
  }),
  action({
    operationId: 'getOperator',
    tag,
    summary: 'Get an operator',
    method: 'GET',
    path: '/api/operators/:id',
    access: 'viewer',
    commandLine: { verb: 'operator show', args: ['id'] },
    params: byId,
    answer: operator,
    hasEtag: true,
    handle: async ({ parts, params }) => answer(params.id, parts.store),
  }),
  action({
    operationId: 'createOperator',
    done: 'Added an operator',
    tag,
    summary: 'Add an operator',
    description: 'Without a password, the operator can authenticate only with OAuth2 tokens.',
    method: 'POST',
    path: '/api/operators',
    access: 'administrator',
    body: name(
      'NewOperator',
      z.object({
        id: operatorId.refine(inUrl, noUrl),
        description: description.default(''),
        password: password.optional(),
        emails: emails.default([]),
        certificates: certificates.optional(),
        permissionLists: z.array(z.string()).default([]),
      }),
    ),
    example: {
      id: 'KIM',
      password: 'a long sentence is a good one',
      emails: [{ type: 'business', address: 'kim@example.com', isPrimary: true }],
      permissionLists: ['HR_ALL'],
    },
    answer: operator,
    status: 201,
    hasEtag: true,
    problems: ['conflict'],
    async handle({ body, parts, audited }) {
      await requireLists(body.permissionLists, parts)
      const { password, ...rest } = body
      const passwordHash = password === undefined ? {} : { passwordHash: await hashNewPassword(password, body.id) }
      const after = { ...rest, ...(password !== undefined && { password: '***' }) }
      if (!(await audited({ subject: body.id, after }).operators.add({ ...rest, ...passwordHash })))
        throw new AdminProblem('conflict', `Operator ${body.id} already exists.`)
      const made = await answer(body.id, parts.store)
      return { ...made, location: `/api/operators/${encodeURIComponent(body.id)}` }
    },
  }),
  action({
    operationId: 'changeOperator',
    done: 'Changed an operator',
    tag,
    summary: 'Change description, e-mail addresses or client certificates',
    description:
      'Replaces all addresses, or all certificates. An OAuth2 token of the operator must contain one of them, in the same letter case.',
    method: 'PATCH',
    path: '/api/operators/:id',
    access: 'administrator',
    params: byId,
    needsIfMatch: true,
    body: name(
      'OperatorChange',
      z
        .object({
          description: description.optional(),
          emails: emails.optional(),
          certificates: certificates.optional(),
        })
        .refine(
          (change) => Object.values(change).filter((each) => each !== undefined).length === 1,
          'must contain one of description, emails and certificates',
        ),
    ),
    example: { emails: [{ type: 'business', address: 'Kim@example.com', isPrimary: true }] },
    answer: operator,
    hasEtag: true,
    async handle({ params: { id }, body, ifMatch, parts, audited }) {
      await requireOperator(id, parts)
      const { description = '', emails, certificates } = body
      const { operators } = audited(changeOf(id))
      const version = toVersion(ifMatch)
      const isChanged =
        emails !== undefined
          ? await operators.setEmails(id, emails, version)
          : certificates !== undefined
            ? await operators.setCertificates(id, certificates, version)
            : await operators.setDescription(id, description, version)
      if (!isChanged) throw new AdminProblem('preconditionFailed', 'Read the operator again.')
      return answer(id, parts.store)
    },
  }),
  action({
    operationId: 'deleteOperator',
    done: 'Deleted an operator',
    tag,
    summary: 'Delete an operator; its calls are refused within a second',
    description:
      'Its password, addresses, certificates, grants and session tokens are lost. The tokens stay refused if the id is ' +
      'added again. Audit, logs and monitor keep the id. Locking refuses the calls, too, and can be undone.',
    method: 'DELETE',
    path: '/api/operators/:id',
    access: 'administrator',
    commandLine: {
      verb: 'operator delete',
      args: ['id'],
      asks: ({ id }) => `Delete the operator ${id} with its password, addresses and grants?`,
      says: (_, { id }) => `${id} is deleted.`,
    },
    params: byId,
    async handle({ params: { id }, parts, audited }) {
      if (!(await audited(changeOf(id)).operators.remove(id))) throw await unknownOperator(id, parts.store)
      return {}
    },
  }),
  action({
    operationId: 'setOperatorPassword',
    done: "Set an operator's password",
    tag,
    summary: 'Set a new password of an operator',
    method: 'PUT',
    path: '/api/operators/:id/password',
    access: 'administrator',
    params: byId,
    body: name('OperatorPassword', z.object({ password })),
    async handle({ params: { id }, body, parts, audited }) {
      const passwordHash = await hashNewPassword(body.password, id)
      const change = { subject: id, before: { password: '***' }, after: { password: '***' } }
      if (!(await audited(change).operators.setPasswordHash(id, passwordHash)))
        throw await unknownOperator(id, parts.store)
      return {}
    },
  }),
]

/** Reads the version first, so that a concurrent change makes the ETag too old, never too new. */
async function answer(id: string, store: Store) {
  const version = await store.operators.versionOf(id)
  const found = await store.operators.find(id)
  if (!found || version === undefined) throw await unknownOperator(id, store)
  return { body: describe(found), etag: String(version) }
}

export async function requireOperator(id: string, { store }: ActionParts): Promise<Operator> {
  const found = await store.operators.find(id)
  if (found) return found
  throw await unknownOperator(id, store)
}

/** Names the nearest. */
export async function unknownOperator(id: string, { operators }: Pick<Store, 'operators'>): Promise<AdminProblem> {
  const all = await operators.list()
  const ids = all.map((each) => each.id)
  return notFound('operator', id, ids)
}

/** The audit entry from the store's result, because only the transaction knows the previous value. */
export function changeOf(subject: string) {
  return (result: unknown) => ({ subject, ...(result as ValueChange<unknown>) })
}

export async function requireLists(names: readonly string[], { configuration }: ActionParts): Promise<void> {
  const known = new Set((await configuration()).permissionLists.map(({ name }) => name))
  const problems = names.flatMap((name, index) =>
    known.has(name)
      ? []
      : [{ path: `permissionLists[${index}]`, message: `is not a permission list of the configuration: ${name}` }],
  )
  if (problems.length > 0) throw new AdminProblem('invalid', problems[0]?.message ?? '', { problems })
}

/** Without the password hash. */
function describe({ id, description, isLocked, passwordHash, emails, certificates, permissionLists }: Operator) {
  return {
    id,
    description,
    isLocked,
    hasPassword: hasPassword({ passwordHash }),
    emails: [...emails],
    certificates: [...(certificates ?? [])],
    permissionLists: [...permissionLists],
  }
}
