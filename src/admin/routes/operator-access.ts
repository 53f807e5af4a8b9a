/** What operators may do: locks, and the permission lists granted to them (specification 3.2, 18.19). */
import { z } from 'zod'
import { action, type Input } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { changeOf, requireLists, requireOperator, unknownOperator } from './operator-record.ts'

const tag = 'Operators'
const byId = z.object({ id: z.string().describe('Operator id') })
const byGrant = byId.extend({ permissionList: z.string().describe('Name of the permission list') })

export const operatorAccessRoutes = [
  action({
    operationId: 'lockOperator',
    done: 'Locked an operator',
    tag,
    summary: 'Lock an operator; its calls are refused within a second',
    method: 'PUT',
    path: '/api/operators/:id/lock',
    access: 'operator',
    params: byId,
    commandLine: { verb: 'operator lock', args: ['id'], says: (_, { id }) => `${id} is locked.` },
    handle: (input) => setLocked(input, true),
  }),
  action({
    operationId: 'unlockOperator',
    done: 'Unlocked an operator',
    tag,
    summary: 'Unlock an operator',
    method: 'DELETE',
    path: '/api/operators/:id/lock',
    access: 'operator',
    params: byId,
    commandLine: { verb: 'operator unlock', args: ['id'], says: (_, { id }) => `${id} is unlocked.` },
    handle: (input) => setLocked(input, false),
  }),
  action({
    operationId: 'grantPermissionList',
    done: 'Granted a permission list',
    tag,
    summary: 'Grant a permission list',
    method: 'PUT',
    path: '/api/operators/:id/permission-lists/:permissionList',
    access: 'operator',
    commandLine: {
      verb: 'operator grant',
      args: ['id', 'permissionList'],
      says: (_, { id, permissionList }) => `${id} holds ${permissionList}.`,
    },
    params: byGrant,
    async handle({ params: { id, permissionList }, parts, audited }) {
      await requireLists([permissionList], parts)
      if (!(await audited(changeOf(id)).operators.grant(id, permissionList)))
        throw await unknownOperator(id, parts.store)
      return {}
    },
  }),
  action({
    operationId: 'revokePermissionList',
    done: 'Revoked a permission list',
    tag,
    summary: 'Revoke a permission list',
    method: 'DELETE',
    path: '/api/operators/:id/permission-lists/:permissionList',
    access: 'operator',
    commandLine: {
      verb: 'operator revoke',
      args: ['id', 'permissionList'],
      says: (_, { id, permissionList }) => `${id} no longer holds ${permissionList}.`,
    },
    params: byGrant,
    async handle({ params: { id, permissionList }, parts, audited }) {
      if (await audited(changeOf(id)).operators.revoke(id, permissionList)) return {}
      const { permissionLists } = await requireOperator(id, parts)
      throw notFound(`grant to ${id} of`, permissionList, permissionLists)
    },
  }),
]

async function setLocked(
  { params: { id }, parts, audited }: Input<z.output<typeof byId>, unknown, unknown>,
  isLocked: boolean,
) {
  if (await audited(changeOf(id)).operators.setLocked(id, isLocked)) return {}
  throw await unknownOperator(id, parts.store)
}
