/** Which operator may call which operation, and by which permission list (specification 21.13). */
import { z } from 'zod'
import { notFound } from '../../actions/problem-details.ts'
import { cutPage, flag, name } from '../../actions/schemas.ts'
import { findPermission } from '../../model/permission.ts'
import { route } from '../route.ts'
import { requireOperator } from './operator-record.ts'

const offset = z.coerce.number().int().min(0).max(1e9).default(0)
const limit = z.coerce.number().int().min(1).max(100).default(25)
const search = z.string().max(200).optional().describe('Part of its id, case-insensitive')

/** The page size for both operators and operations: at most 100 by 100. */
const axis = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    total: z.int().describe('Number of items on all pages'),
    offset: z.int(),
    limit: z.int(),
  })

export const matrixRoutes = [
  route({
    operationId: 'getPermissionMatrix',
    tag: 'Operators',
    summary: 'Get the matrix of operators and operations',
    description:
      'Which operator may call which operation: a page of operators by a page of operations, both in order of id, from ' +
      'the active configuration. `cells[i][j]` belongs to operator i and operation j of the page: the permission lists ' +
      'that permit the call, or null if the operator may not call it.',
    method: 'GET',
    path: '/api/permission-matrix',
    access: 'viewer',
    query: z.object({
      operatorOffset: offset,
      operatorLimit: limit,
      operator: search,
      permissionList: z.string().optional().describe('Only operators and operations of this permission list'),
      isLocked: flag.optional(),
      operationOffset: offset,
      operationLimit: limit,
      operation: search,
    }),
    answer: name(
      'PermissionMatrix',
      z.object({
        operators: axis(
          z.object({
            id: z.string(),
            isLocked: z.boolean().describe('A locked operator may call nothing'),
            permissionLists: z.array(z.string()),
          }),
        ),
        operations: axis(
          z.object({
            id: z.string().describe('ECHO_GET.v1'),
            permittedBy: z
              .array(z.string())
              .describe('Permission lists that contain the operation; one of them is sufficient'),
          }),
        ),
        cells: z.array(z.array(z.array(z.string()).nullable())),
      }),
    ),
    async handle({ parts, query }) {
      const { permissionList, isLocked } = query
      const part = { offset: query.operatorOffset, limit: query.operatorLimit }
      const { operators, total } = await parts.store.operators.page({
        ...{ id: query.operator, isLocked, permissionList, sort: 'id', isDescending: false },
        ...part,
      })
      const operations = [...parts.catalog().operations.values()]
        .filter(
          ({ id, permittedBy }) =>
            includes(id, query.operation) && (permissionList === undefined || permittedBy.has(permissionList)),
        )
        .toSorted(byId)
      const columns = cutPage(operations, { offset: query.operationOffset, limit: query.operationLimit })
      const cells = operators.map((operator) =>
        columns.items.map((operation) => {
          const { isAllowed, grantedBy } = findPermission(operator, operation)
          return isAllowed ? [...grantedBy] : null
        }),
      )
      const describe = {
        operators: operators.map(({ id, isLocked, permissionLists }) => ({ id, isLocked, permissionLists })),
        operations: columns.items.map(({ id, permittedBy }) => ({ id, permittedBy: [...permittedBy].sort() })),
      }
      return {
        body: {
          operators: { ...part, total, items: describe.operators },
          operations: { ...columns, items: describe.operations },
          cells,
        },
      }
    },
  }),
  route({
    operationId: 'mayCall',
    tag: 'Operators',
    summary: 'Tell whether an operator may call an operation of the active configuration, and why',
    method: 'GET',
    path: '/api/operators/:id/operations/:operation',
    access: 'viewer',
    params: z.object({ id: z.string(), operation: z.string().describe('ECHO_GET.v1') }),
    answer: name(
      'MayCall',
      z.object({
        isAllowed: z.boolean(),
        grantedBy: z.array(z.string()).describe('Permission lists of the operator that contain the operation'),
        permittedBy: z.array(z.string()).describe('All that contain it: one of them is sufficient'),
        reason: z.string(),
      }),
    ),
    async handle({ params, parts }) {
      const operator = await requireOperator(params.id, parts)
      const { operations } = parts.catalog()
      const operation = operations.get(params.operation)
      if (!operation) throw notFound('operation', params.operation, operations.keys())
      const { isAllowed, grantedBy, wouldGrant, reason } = findPermission(operator, operation)
      return { body: { isAllowed, grantedBy: [...grantedBy], permittedBy: wouldGrant.toSorted(), reason } }
    },
  }),
]

function includes(id: string, wanted: string | undefined): boolean {
  return wanted === undefined || id.toLowerCase().includes(wanted.toLowerCase())
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1
}
