/** Who calls an operation, and the calls of the last day of callers or operations (specification 21.22, 21.23). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { ids, name, pageOf, paging, time, toTime } from '../../actions/schemas.ts'
import type { CallUse } from './count-use.ts'
import { readMonitor } from './read-monitor.ts'

const day = 24 * 3_600_000
const useShape = {
  calls: z.int(),
  refused: z.int().describe('Refused because of the caller'),
  failed: z.int(),
  last: time.describe('Time of the last call, UTC'),
}
const sortings = ['operator', 'calls', 'refused', 'failed', 'last'] as const

export const callerActions = [
  action({
    operationId: 'listCallers',
    tag: 'Monitor',
    summary: 'List who called an operation',
    description: 'Of the transactions that the monitor keeps; the latest callers first.',
    method: 'GET',
    path: '/api/monitor/callers',
    access: 'viewer',
    query: paging.extend({
      operation: z.string().max(200).describe('HIRE_GET.v1'),
      days: z.coerce.number().int().min(1).max(3650).default(3650).describe('Default: all that are kept'),
      search: z.string().max(200).optional().describe('Part of the id of the caller, case-insensitive'),
      sort: z
        .string()
        .regex(/^-?(operator|calls|refused|failed|last)$/, `must be ${sortings.join(', ')}`)
        .default('-last')
        .describe('One of these fields; - before it: descending'),
    }),
    answer: pageOf(
      name(
        'Caller',
        z.object({
          operator: z.string().nullable().describe('Null: refused before the operator was known'),
          ...useShape,
        }),
      ),
    ),
    problems: ['monitorOff', 'monitorAway'],
    async handle({ parts, query: { days, sort, ...query } }) {
      const from = Math.floor(parts.now()) - days * day
      const field = sort.replace(/^-/, '') as (typeof sortings)[number]
      const { callers, total } = await readMonitor(parts, (store) =>
        store.callers({ ...query, from, sort: field, isDescending: sort !== field }),
      )
      const items = callers.map(({ operator = null, ...use }) => ({ operator, ...describe(use) }))
      return { body: { items, total, offset: query.offset, limit: query.limit } }
    },
  }),
  action({
    operationId: 'listUse',
    tag: 'Monitor',
    summary: 'Count the calls of the last day of some operations or callers',
    description: 'Of the transactions that the monitor keeps. An id without any is not listed.',
    method: 'GET',
    path: '/api/monitor/use',
    access: 'viewer',
    query: z.object({ by: z.enum(['operation', 'operator']), id: ids }),
    answer: z.object({
      items: z.array(
        name(
          'CallUse',
          z.object({
            id: z.string(),
            ...useShape,
            callers: z.int().describe('Different callers of an operation among all that are kept'),
          }),
        ),
      ),
    }),
    problems: ['monitorOff', 'monitorAway'],
    async handle({ parts, query: { by, id } }) {
      const from = Math.floor(parts.now()) - day
      const found = await readMonitor(parts, (store) => store.use(by, id, from))
      return { body: { items: found.map(({ id, callers, ...use }) => ({ id, ...describe(use), callers })) } }
    },
  }),
]

function describe({ last, ...counts }: CallUse) {
  return { ...counts, last: toTime(last) }
}
