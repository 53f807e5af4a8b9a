/** What the comparisons of shadow handlers have found (specification 36.17). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { showLine } from '../../base/escape.ts'
import { maxDiffering, openShadowRows, summariseShadow } from './rows.ts'

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
    commandLine: { verb: 'shadow list', says: (list) => writeComparisons(list).split('\n') },
    answer: z.object({ items: z.array(compared) }),
    async handle({ parts }) {
      const rows = await openShadowRows(parts.store.databases).list()
      const items = rows.map(({ differing, ...row }) => ({
        ...row,
        differing: differing.map(({ time, ...call }) => ({ ...call, time: toTime(time) })),
      }))
      return { body: { items } }
    },
  }),
  action({
    operationId: 'forgetShadow',
    done: 'Restarted the count of a shadow',
    tag: 'Operations',
    summary: 'Restart the count of what a shadow handler answers differently',
    description: 'Use it after you have changed the handler.',
    method: 'DELETE',
    path: '/api/shadows/:operation',
    access: 'administrator',
    commandLine: {
      verb: 'shadow forget',
      args: ['operation'],
      asks: ({ operation }) => `Forget the calls of ${operation} that were compared?`,
      says: (_, { operation }) => `The count of ${operation} starts again.`,
    },
    params: z.object({ operation: z.string().describe('The operation: ECHO_GET.v1') }),
    async handle({ parts, params: { operation }, audit }) {
      const rows = openShadowRows(parts.store.databases)
      const known = await rows.list()
      if (!known.some((row) => row.operation === operation)) throw notFound(`call of ${operation} that was compared`)
      await audit({ subject: operation }) // written first: on SQLite another database
      await rows.forget(operation)
      return {}
    },
  }),
]

function writeComparisons({ items }: { readonly items: readonly z.output<typeof compared>[] }): string {
  const seen = items.filter(({ calls, notRun }) => calls + notRun > 0)
  if (seen.length === 0) return 'No calls have been compared yet.'
  const lines = seen.flatMap((row) => [
    `${row.operation}: ${summariseShadow(row)}`,
    ...row.outside.map((what) => `  outside the database: ${what}`),
    ...row.differing.flatMap(({ time, transactionId, call, differences }) => [
      `  ${time} ${transactionId} ${call}`,
      ...differences.map((each) => `    ${each}`),
    ]),
  ])
  return lines.map((line) => showLine(line, 1000)).join('\n')
}
