/** Webhooks: what was sent, what waits, and a test (specification 35.11). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { describeDeliveries, listReceivers, maxListed, readReceivers } from './receivers.ts'
import { openWebhookRows } from './rows.ts'
import { writeTest } from './write-deliveries.ts'

const tag = 'Webhooks'
const delivery = name(
  'WebhookDelivery',
  z.object({
    id: z.string().describe('Of the event: receivers get it as webhook-id'),
    name: z.string().describe('Of the event'),
    receiver: z.string().describe('The origin of its URL'),
    state: z.enum(['waiting', 'delivered', 'givenUp']),
    attempts: z.int(),
    created: time,
    next: time.nullable().describe('The next attempt'),
    ended: time.nullable(),
    reason: z.string().nullable().describe('Why the last attempt failed'),
  }),
)

export const actions = [
  action({
    operationId: 'listWebhooks',
    tag,
    summary: 'List the receivers of webhooks, and the last events sent to them',
    description: `At most ${maxListed} events, the newest first.`,
    method: 'GET',
    path: '/api/webhooks',
    access: 'viewer',
    commandLine: {
      verb: 'webhook list',
      columns: {
        EVENT: 'name',
        RECEIVER: 'receiver',
        STATE: 'state',
        ATTEMPTS: 'attempts',
        CREATED: 'created',
        NEXT: 'next',
        REASON: 'reason',
      },
      empty: 'No event was sent yet: ig.webhooks.urls names the receivers.',
    },
    answer: z.object({
      receivers: z.array(z.string()).describe('Origins of their URLs'),
      waiting: z.int().describe('Events that wait to be sent, once for each receiver'),
      items: z.array(delivery),
    }),
    async handle({ parts }) {
      const set = readReceivers(parts.settings.webhooks)
      const receivers = set ? listReceivers(set) : []
      const stored = openWebhookRows(parts.store.databases)
      const rows = describeDeliveries(await stored.list(maxListed), receivers)
      const items = rows.map(({ created, next, ended, ...row }) => ({
        ...row,
        created: toTime(created),
        next: row.state === 'waiting' ? toTime(next) : null,
        ended: ended === null ? null : toTime(ended),
      }))
      const waiting = await stored.waiting()
      return { body: { receivers: receivers.map(({ url }) => url.origin), waiting, items } }
    },
  }),
  action({
    operationId: 'testWebhooks',
    done: 'Sent a test event to the webhook receivers',
    tag,
    summary: 'Send the event webhookTest to all receivers',
    method: 'POST',
    path: '/api/webhooks/test',
    access: 'administrator',
    commandLine: {
      verb: 'webhook test',
      says: ({ id }) =>
        `The test ${id} is sent by a serving process within a second: ig webhook list shows the result.`,
    },
    answer: z.object({ id: z.string().describe('Of the event, in the list') }),
    problems: ['notFound'],
    async handle({ parts, audit }) {
      const receivers = readReceivers(parts.settings.webhooks)
      if (!receivers) throw notFound('receiver of webhooks: ig.webhooks.urls is not set')
      const [first, ...others] = writeTest(receivers, parts.now())
      await audit({ subject: first.id })
      await openWebhookRows(parts.store.databases).add([first, ...others])
      return { body: { id: first.id } }
    },
  }),
]
