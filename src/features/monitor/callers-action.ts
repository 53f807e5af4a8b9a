/** The callers of an operation, for those who want to remove it (specification 18.14). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { readMonitor } from './read-monitor.ts'

export const callersAction = action({
  operationId: 'listCallers',
  tag: 'Monitor',
  summary: 'List who called an operation in the last days',
  description: 'Of the newest 100,000 transactions that the monitor keeps; the latest callers first.',
  method: 'GET',
  path: '/api/monitor/callers',
  access: 'viewer',
  query: z.object({
    operation: z.string().max(200).describe('HIRE_GET.v1'),
    days: z.coerce.number().int().min(1).max(366).default(7),
  }),
  answer: name(
    'Callers',
    z.object({
      items: z.array(
        z.object({
          operator: z.string().nullable().describe('Null: refused before the operator was known'),
          calls: z.int(),
          last: time.describe('Time of the last call, UTC'),
        }),
      ),
      isComplete: z.boolean().describe('False if there are more callers, or older transactions in this time span'),
    }),
  ),
  problems: ['monitorOff', 'monitorAway'],
  async handle({ parts, query: { operation, days } }) {
    const from = Math.floor(parts.now()) - days * 24 * 3_600_000
    const { callers, isComplete } = await readMonitor(parts, (store) => store.callers(operation, from))
    const items = callers.map(({ operator = null, calls, last }) => ({ operator, calls, last: toTime(last) }))
    return { body: { items, isComplete } }
  },
})
