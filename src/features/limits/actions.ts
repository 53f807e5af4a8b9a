/** The callers that are limited now, and lifting their limits (specification 25.10). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { suggest } from '../../base/nearest.ts'
import { compileLimits } from '../../configuration/compile-limits.ts'
import type { Configuration } from '../../configuration/configuration.ts'
import { describeLimited, maxLimited, openLimitRows } from './rows.ts'

const tag = 'Limits'
const subject = z
  .string()
  .max(200)
  .describe('Operation, address or network, and operator, as far as the limit counts them apart; or empty')
const limited = name(
  'LimitedCaller',
  z.object({
    limit: z.string(),
    subject,
    resets: time.nullable().describe('When the next call fits; null if one fits already'),
    refused: time.nullable().describe('The last refused call'),
  }),
)

export const actions = [
  action({
    operationId: 'listLimited',
    tag,
    summary: 'List who is limited now, or was refused a call in the last minute',
    description: `At most ${maxLimited}, the last refused first.`,
    method: 'GET',
    path: '/api/limited',
    access: 'viewer',
    commandLine: {
      verb: 'limit list',
      columns: { LIMIT: 'limit', SUBJECT: 'subject', RESETS: 'resets', 'LAST REFUSED': 'refused' },
      empty: 'No caller is limited.',
    },
    answer: z.object({ items: z.array(limited) }),
    async handle({ parts }) {
      const limits = compileLimits((await parts.configuration()).limits)
      const rows = describeLimited(await openLimitRows(parts.store.databases).list(maxLimited), limits.byName)
      const now = parts.now()
      const items = rows.map(({ limit, subject, wait, refused }) => ({
        limit,
        subject,
        resets: wait > 0 ? toTime(Math.ceil(now + wait)) : null,
        refused: refused === null ? null : toTime(Math.floor(now - refused)),
      }))
      return { body: { items } }
    },
  }),
  action({
    operationId: 'liftLimit',
    done: 'Lifted a limit',
    tag,
    summary: 'Give back what a caller has spent of a limit, on all instances within a second',
    method: 'DELETE',
    path: '/api/limited/:limit',
    access: 'administrator',
    commandLine: {
      verb: 'limit lift',
      args: ['limit', 'subject'],
      says: (_, { limit, subject }) =>
        `${subject ? `${limit}: ${subject}` : limit} is lifted on all instances within a second.`,
    },
    params: z.object({ limit: z.string().describe('The name of the limit') }),
    query: z.object({ subject: subject.default('') }),
    async handle({ parts, params: { limit }, query: { subject }, audit }) {
      const rows = openLimitRows(parts.store.databases)
      if (!(await rows.knows(limit, subject)))
        throw new AdminProblem('notFound', whyNothing(limit, subject, (await parts.configuration()).limits))
      await audit({ subject: subject === '' ? limit : `${limit}: ${subject}` }) // written first: on SQLite another database
      await rows.lift(limit, subject)
      return {}
    },
  }),
]

function whyNothing(name: string, subject: string, limits: Configuration['limits']): string {
  const limit = limits.find((each) => each.name === name)
  const names = limits.map((each) => each.name)
  if (!limit) return `There is no limit ${name}${suggest(name, names) || '. The list has what is limited.'}`
  if (subject === '' && limit.by.length > 0)
    return `The limit ${name} counts by ${limit.by.join(' and ')}: add the subject that the list has.`
  return `Nothing of the limit ${name} is used${subject === '' ? '' : ` by ${subject}`}. The list has what is limited.`
}
