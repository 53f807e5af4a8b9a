/** Webhooks: what was sent, what waits, and a test (specification 35.11). */
import { z } from 'zod'
import { describeDeliveries, listReceivers, mostListed } from '../../webhooks/receivers.ts'
import { writeTest } from '../../webhooks/write-deliveries.ts'
import { notFound } from '../problem-details.ts'
import { route } from '../route.ts'
import { name, time, toTime } from '../schemas.ts'

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

export const webhookRoutes = [
  route({
    operationId: 'listWebhooks',
    tag,
    summary: 'List the receivers of webhooks, and the last events sent to them',
    description: `At most ${mostListed} events, the newest first.`,
    method: 'GET',
    path: '/api/webhooks',
    access: 'viewer',
    answer: z.object({
      receivers: z.array(z.string()).describe('Origins of their URLs'),
      waiting: z.int().describe('Events that wait to be sent, once for each receiver'),
      items: z.array(delivery),
    }),
    async handle({ parts: { settings, store } }) {
      const receivers = settings.webhooks ? listReceivers(settings.webhooks) : []
      const rows = describeDeliveries(await store.webhooks.list(mostListed), receivers)
      const items = rows.map(({ created, next, ended, ...row }) => ({
        ...row,
        created: toTime(created),
        next: row.state === 'waiting' ? toTime(next) : null,
        ended: ended === null ? null : toTime(ended),
      }))
      const waiting = await store.webhooks.waiting()
      return { body: { receivers: receivers.map(({ url }) => url.origin), waiting, items } }
    },
  }),
  route({
    operationId: 'testWebhooks',
    done: 'Sent a test event to the webhook receivers',
    tag,
    summary: 'Send the event webhookTest to all receivers',
    method: 'POST',
    path: '/api/webhooks/test',
    access: 'administrator',
    answer: z.object({ id: z.string().describe('Of the event, in the list') }),
    problems: ['notFound'],
    async handle({ parts: { settings, store, now }, audit }) {
      if (!settings.webhooks) throw notFound('receiver of webhooks: ig.webhooks.urls is not set')
      const [first, ...others] = writeTest(settings.webhooks, now())
      await audit({ subject: first.id })
      await store.webhooks.add([first, ...others])
      return { body: { id: first.id } }
    },
  }),
]
