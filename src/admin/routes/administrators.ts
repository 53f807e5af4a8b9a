/** Administrators (specification 18.8, 18.12). */
import { z } from 'zod'
import { action, type Input, toVersion } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { toRole } from '../../actions/roles.ts'
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
import { type Administrator, type AdministratorChange, LastAdministrator } from '../../store/administration/contract.ts'
import type { Factor } from '../../store/administration/factors-contract.ts'
import type { ValueChange } from '../../store/operator-store.ts'
import { hashNewPassword } from '../require-password.ts'

const administrator = name(
  'Administrator',
  z.object({ name: z.string(), role, isLocked: z.boolean(), created: time, signsInWith, secondFactors: z.int() }),
)
const byName = z.object({ name: z.string().describe('Name of the administrator') })
const tag = 'Administrators'

export const administratorRoutes = [
  action({
    operationId: 'listAdministrators',
    tag,
    summary: 'List administrators',
    method: 'GET',
    path: '/api/administrators',
    access: 'administrator',
    commandLine: {
      verb: 'administrator list',
      columns: { ADMINISTRATOR: 'name', ROLE: 'role', STATE: ({ isLocked }) => (isLocked ? 'locked' : 'active') },
      empty: 'There are no administrators yet. Add the first: ig administrator add <name>',
    },
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
  action({
    operationId: 'getAdministrator',
    tag,
    summary: 'Get an administrator',
    method: 'GET',
    path: '/api/administrators/:name',
    access: 'administrator',
    commandLine: { verb: 'administrator show', args: ['name'] },
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
  action({
    operationId: 'createAdministrator',
    done: 'Added an administrator',
    tag,
    summary: 'Add an administrator',
    method: 'POST',
    path: '/api/administrators',
    access: 'administrator',
    commandLine: {
      verb: 'administrator add',
      args: ['name'],
      inputs: { role: { fallback: 'administrator' }, password: { reads: 'newPassword' } },
      says: ({ name, role }) => `${name} is added with the role ${role}.`,
    },
    needsSession: true,
    body: name('NewAdministrator', z.object({ name: administratorName.meta({ title: 'Name' }), role, password })),
    example: { name: 'sam', role: 'viewer', password: 'a long sentence is a good one' },
    answer: administrator,
    status: 201,
    problems: ['conflict'],
    async handle({ body, parts, audited }) {
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
  action({
    operationId: 'changeAdministrator',
    done: 'Changed an administrator',
    tag,
    summary: 'Change the role; takes effect with the next request',
    method: 'PATCH',
    path: '/api/administrators/:name',
    access: 'administrator',
    commandLine: {
      verb: 'administrator set',
      args: ['name'],
      inputs: { role: { description: 'the new role' } },
      says: (_, { name, role }) => `${name} has the role ${role}.`,
    },
    needsSession: true,
    params: byName,
    needsIfMatch: true,
    body: name('AdministratorChange', z.object({ role })),
    example: { role: 'operator' },
    problems: ['conflict'],
    async handle(input) {
      const { params, body, ifMatch, parts } = input
      const found = await parts.store.administration.administrators.find(params.name)
      if (found && body.role !== found.role) requirePasswordOf(found, 'decides the role')
      if (await change(input, body, toVersion(ifMatch))) return {}
      throw found
        ? new AdminProblem('preconditionFailed', 'Read the administrator again.')
        : notFound(`administrator ${params.name}`)
    },
  }),
  action({
    operationId: 'lockAdministrator',
    done: 'Locked an administrator',
    tag,
    summary: 'Lock an administrator; takes effect with the next request',
    method: 'PUT',
    path: '/api/administrators/:name/lock',
    access: 'administrator',
    commandLine: {
      verb: 'administrator lock',
      args: ['name'],
      says: (_, { name }) => `${name} is locked.`,
    },
    needsSession: true,
    params: byName,
    problems: ['conflict'],
    handle: (input) => setLocked(input, true),
  }),
  action({
    operationId: 'unlockAdministrator',
    done: 'Unlocked an administrator',
    tag,
    summary: 'Unlock an administrator',
    method: 'DELETE',
    path: '/api/administrators/:name/lock',
    access: 'administrator',
    commandLine: {
      verb: 'administrator unlock',
      args: ['name'],
      says: (_, { name }) => `${name} is unlocked.`,
    },
    needsSession: true,
    params: byName,
    handle: (input) => setLocked(input, false),
  }),
  action({
    operationId: 'setAdministratorPassword',
    done: "Set an administrator's password",
    tag,
    summary: "Set a new password; ends the administrator's sessions and API tokens",
    method: 'PUT',
    path: '/api/administrators/:name/password',
    access: 'administrator',
    commandLine: {
      verb: 'administrator set-password',
      args: ['name'],
      inputs: { password: { reads: 'newPassword' } },
      says: (_, { name }) => `${name} has a new password.`,
    },
    needsSession: true,
    params: byName,
    body: name('NewPassword', z.object({ password })),
    problems: ['conflict'],
    async handle({ params, body, parts, audited }) {
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
  action({
    operationId: 'resetSecondFactors',
    done: "Removed an administrator's second factors",
    tag,
    summary: "Remove all second factors and recovery codes; ends the administrator's sessions",
    method: 'DELETE',
    path: '/api/administrators/:name/second-factors',
    access: 'administrator',
    commandLine: {
      verb: 'administrator reset-factors',
      args: ['name'],
      asks: ({ name }) => `Remove all second factors of ${name}?`,
      says: (_, { name }) => `${name} now signs in with the password alone. All sessions have ended.`,
    },
    needsSession: true,
    params: byName,
    async handle({ params, audited }) {
      const { factors } = audited((result) => ({ subject: params.name, ...(result as object) })).administration
      if (!(await factors.reset(params.name))) throw notFound(`second factor of ${params.name}`)
      return {}
    },
  }),
]

type ByName = Input<z.output<typeof byName>, unknown, unknown>

async function setLocked(input: ByName, isLocked: boolean) {
  if (await change(input, { isLocked })) return {}
  throw notFound(`administrator ${input.params.name}`)
}

/** @returns false if no such administrator exists, or in another version */
async function change({ params: { name }, audited }: ByName, values: AdministratorChange, version?: number) {
  const { administration } = audited((result) => ({ subject: name, ...(result as ValueChange<unknown>) }))
  return administration.administrators.change(name, values, version).catch(refuseLast)
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
    role: toRole(role),
    isLocked,
    created: toTime(created),
    signsInWith: identity ? ('provider' as const) : ('password' as const),
    secondFactors: factors.filter(({ administrator }) => administrator === name).length,
  }
}
