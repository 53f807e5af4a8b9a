/** Operators, like the original's user profiles: e-mail addresses, grants, locks (specification 3.2, 18.19). */
import { z } from 'zod'
import { action, toVersion } from '../../actions/action.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { emailAddress, flag, inUrl, name, noUrl, pageOf, paging, password } from '../../actions/schemas.ts'
import { quoteShell } from '../../base/escape.ts'
import { certificates, description, emailsSchema } from '../../configuration/operator-schema.ts'
import { operatorId } from '../../configuration/schema.ts'
import { firstLoginMark } from '../../model/operator.ts'
import { passwordRule } from '../../model/password-policy.ts'
import type { OperatorQuery } from '../../store/operator-store.ts'
import { hashNewPassword } from '../require-password.ts'
import {
  answer,
  changeOf,
  describe,
  operator,
  requireLists,
  requireOperator,
  unknownOperator,
} from './operator-record.ts'

const tag = 'Operators'
/** How `ig` takes them. */
const inputs = {
  description: { description: 'the person or system that uses it' },
  emails: {
    option: 'email',
    value: '[type:]address',
    reads: 'addresses',
    description: "an address, the first one is primary; '' for none",
  },
  certificates: {
    option: 'certificate',
    value: 'file or name',
    reads: 'certificates',
    description: "a client certificate, PEM or DER, or its name; '' for none",
  },
} as const
const byId = z.object({ id: z.string().describe('Operator id') })
const emails = emailsSchema(emailAddress)

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
      inputs: { isLocked: { description: 'only locked operators' } },
      columns: {
        OPERATOR: 'id',
        STATE: ({ isLocked, hasPassword, firstLogin: marked }) =>
          isLocked ? 'locked' : hasPassword ? 'active' : marked ? firstLoginMark : 'no password',
        'PERMISSION LISTS': 'permissionLists',
        'E-MAIL': ({ emails }) => emails.map(({ address }) => address).join(', '),
        DESCRIPTION: 'description',
      },
      empty: 'There are no operators yet. Add the first: ig operator add <id>',
    },
    query: paging.extend({
      search: z.string().optional().describe('Part of id, description or address, case-insensitive'),
      isLocked: flag.optional(),
      permissionList: z.string().optional().describe('Only operators that hold this permission list'),
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
    commandLine: {
      verb: 'operator add',
      args: ['id'],
      inputs: {
        ...inputs,
        permissionLists: { option: 'permission-list', value: 'name', description: 'a permission list to grant' },
        password: { reads: 'newPassword', unless: 'firstLogin' },
      },
      says: ({ id, permissionLists }) =>
        permissionLists.length > 0
          ? `${id} is added.`
          : `${id} is added. It may not call any operation yet. Grant a permission list: ig operator grant ${quoteShell(id)} <permission-list>`,
    },
    body: name(
      'NewOperator',
      z.object({
        id: operatorId.refine(inUrl, noUrl).meta({
          title: 'Operator ID',
          description: '1 to 30 characters, no colon. Callers send it as their user name',
        }),
        description: description.default('').meta({ title: 'Description' }),
        password: password.optional().meta({
          title: 'Password',
          description: `${passwordRule}. Without a password, the operator can call only with OAuth2 tokens`,
          'x-form': { kind: 'password' },
        }),
        emails: emails.default([]),
        certificates: certificates.optional(),
        permissionLists: z
          .array(z.string())
          .default([])
          .meta({ title: 'Permission lists', 'x-form': { of: 'permissionLists' } }),
        firstLogin: z
          .boolean()
          .optional()
          .describe('Instead of a password: the original or an LDAP server verifies the first one (ig.passwords.…)'),
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
      const { password, firstLogin: isMarked, ...rest } = body
      if (password !== undefined && isMarked)
        throw new AdminProblem('invalid', 'An operator has a password, or its first one is verified elsewhere.')
      const hash = password === undefined ? isMarked && firstLoginMark : await hashNewPassword(password, body.id)
      const passwordHash = hash ? { passwordHash: hash } : {}
      const hidden = password !== undefined && { password: '***' }
      const after = { ...rest, ...hidden, ...(isMarked && { firstLogin: true }) }
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
    commandLine: { verb: 'operator set', args: ['id'], inputs, says: (_, change) => describeChange(change) },
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
    commandLine: {
      verb: 'operator set-password',
      args: ['id'],
      inputs: { password: { reads: 'newPassword' } },
      says: (_, { id }) => `${id} has a new password.`,
    },
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

interface Change {
  readonly id: string
  readonly emails?: readonly { readonly address: string }[]
  readonly certificates?: readonly string[]
}

function describeChange({ id, emails, certificates }: Change): string {
  const has = emails?.map(({ address }) => address) ?? certificates
  if (!has) return `${id} is changed.`
  return `${id} has ${has.join(', ') || (emails ? 'no e-mail address' : 'no client certificate')}.`
}
