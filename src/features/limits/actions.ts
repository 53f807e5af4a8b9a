/** The callers that are limited now, and lifting their limits (specification 25.10). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
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
    answer: z.object({ items: z.array(limited) }),
    async handle({ parts }) {
      const rows = describeLimited(await parts.rows(openLimitRows).list(maxLimited), parts.gateway.catalog.limits)
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
    params: z.object({ limit: z.string().describe('The name of the limit') }),
    query: z.object({ subject: subject.default('') }),
    async handle({ parts, params: { limit }, query: { subject }, audit }) {
      const limits = parts.rows(openLimitRows)
      if (!(await limits.knows(limit, subject))) throw notFound(`${subject || 'anything'} spent of the limit ${limit}`)
      await audit({ subject: subject === '' ? limit : `${limit}: ${subject}` }) // written first: on SQLite another database
      await limits.lift(limit, subject)
      return {}
    },
  }),
]
