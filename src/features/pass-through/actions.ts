/** What the comparisons of shadow handlers have found (specification 36.17). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { maxDiffering, openShadowRows } from './rows.ts'

const difference = z.string().describe('`status`, a header, or the place in JSON or XML: `/person/name`')

const compared = name(
  'ShadowComparison',
  z.object({
    operation: z.string(),
    calls: z.number().int().describe('Calls that were compared'),
    differ: z.number().int(),
    notRun: z.number().int().describe('Calls whose shadow did not run, or gave way to other calls'),
    leftOut: z.array(z.string()).describe('Headers that pass-through left out: `request x-custom`'),
    outside: z.array(z.string()).describe('What the shadow uses outside the database, which is not undone'),
    differing: z
      .array(z.object({ time, transactionId: z.string(), call: z.string(), differences: z.array(difference) }))
      .describe(`The last ${maxDiffering} calls that differ, the newest last; masked as logs are`),
  }),
)

export const actions = [
  action({
    operationId: 'listShadows',
    tag: 'Operations',
    summary: 'List what shadow handlers answer differently',
    method: 'GET',
    path: '/api/shadows',
    access: 'viewer',
    answer: z.object({ items: z.array(compared) }),
    async handle({ parts }) {
      const rows = await parts.rows(openShadowRows).list()
      const items = rows.map(({ differing, outside, leftOut, ...row }) => ({
        ...row,
        outside: [...outside],
        leftOut: [...leftOut],
        differing: differing.map(({ time, differences, ...call }) => ({
          ...call,
          time: toTime(time),
          differences: [...differences],
        })),
      }))
      return { body: { items } }
    },
  }),
]
