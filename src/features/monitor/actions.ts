/** The monitor: answered transactions, newest first (specification 21.8 to 21.12). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { decision, name, time, toTime } from '../../actions/schemas.ts'
import { callerActions } from './callers-action.ts'
import { describe, describeMessage, describeTimeline, recall, timeline } from './describe-transaction.ts'
import { exportAction } from './export-action.ts'
import type { MonitorStore } from './monitor-store.ts'
import { durationSteps, toPlace } from './monitored-transaction.ts'
import { readMonitor } from './read-monitor.ts'
import { filters, toFilter, transaction } from './schemas.ts'

const tag = 'Monitor'
const messages = z.object({
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  body: z.string().nullable().describe('Null if only headers are kept; long bodies are truncated'),
})
const notKept = name(
  'NotKept',
  z.object({
    done: z.int(),
    error: z.int(),
    reasons: z
      .array(z.enum(['rate', 'database']))
      .describe('rate: the rate exceeded ig.monitor.perSecond; database: it was unavailable'),
  }),
  'Number of transactions missing in the time span of the page; the list is complete if both are 0',
)

const limit = z.coerce.number().int().min(1).max(100).default(50)
const place = z.string().regex(/^\d{1,15}-\d{1,15}$/, 'must be the `next` of a page')
const number = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const byId = z.object({ transactionId: z.string().max(100) })

export const actions = [
  action({
    operationId: 'listTransactions',
    tag,
    summary: 'List transactions, newest first',
    description:
      'All filters must match. To get the next page, repeat the request with the `next` of this page as `before`; ' +
      '`next` is null at the end. There is no total, because counting would read every row.',
    method: 'GET',
    path: '/api/monitor/transactions',
    access: 'viewer',
    query: filters.extend({
      before: place.optional(),
      limit,
      sort: z.enum(['-time', '-durationMs']).default('-time').describe('-durationMs: the slowest first, on one page'),
    }),
    answer: z.object({
      items: z.array(transaction),
      next: z.string().nullable(),
      latest: z.int().describe('The value for `after` of the live tail'),
      notKept,
    }),
    problems: ['monitorOff', 'monitorAway'],
    async handle({ parts, query, caller }) {
      const { before, limit, sort, ...filters } = query
      const filter = toFilter(filters, caller)
      const request = { filter, limit, before: before === undefined ? undefined : toPlace(before) }
      const body = await readMonitor(parts, async (store) => {
        const page = await (sort === '-durationMs' ? store.slowest(request) : store.list(request))
        const oldest = page.next ? (page.transactions.at(-1)?.time ?? page.next.time) : 0
        const newest = before === undefined ? Math.ceil(parts.now()) : toPlace(before).time
        const from = Math.max(oldest, filter.from ?? 0)
        const to = Math.min(newest, filter.to ?? newest)
        return {
          items: page.transactions.map((found) => describe(found, caller)),
          next: page.next ? `${page.next.time}-${page.next.sequence}` : null,
          latest: page.latest,
          notKept: sumUp(await store.losses(from, to)),
        }
      })
      return { body }
    },
  }),
  action({
    operationId: 'countTransactions',
    tag,
    summary: 'Count the transactions that match, up to 10,000',
    method: 'GET',
    path: '/api/monitor/count',
    access: 'viewer',
    query: filters,
    answer: z.object({
      count: z.int().describe('About'),
      isComplete: z
        .boolean()
        .describe('False if there are more, or with `url` or `claimed` older ones that were not searched'),
    }),
    problems: ['monitorOff', 'monitorAway'],
    async handle({ parts, query, caller }) {
      const filter = toFilter(query, caller)
      return { body: await readMonitor(parts, (store) => store.count(filter)) }
    },
  }),
  action({
    operationId: 'tailTransactions',
    tag,
    summary: 'List transactions stored after a number (live tail), newest first',
    description:
      'Poll every second or two with the `latest` of the list or of the last response; transactions are stored about a ' +
      'second after they end. A transaction may be both in the list and here, with the same transactionId.',
    method: 'GET',
    path: '/api/monitor/tail',
    access: 'viewer',
    query: filters.extend({ after: number, limit }),
    answer: z.object({
      items: z.array(transaction),
      latest: z.int(),
      isComplete: z.boolean().describe('False if there were more than the limit: the older ones are only in the list'),
    }),
    problems: ['monitorOff', 'monitorAway'],
    async handle({ parts, query, caller }) {
      const { after, limit } = query
      const { transactions, ...rest } = await readMonitor(parts, (store) =>
        store.news(toFilter(query, caller), after, limit),
      )
      return { body: { items: transactions.map((found) => describe(found, caller)), ...rest } }
    },
  }),
  action({
    operationId: 'getTransaction',
    tag,
    summary: 'Get a transaction',
    method: 'GET',
    path: '/api/monitor/transactions/:transactionId',
    access: 'viewer',
    params: byId,
    answer: name(
      'MonitoredTransactionDetail',
      transaction.extend({
        logs: z
          .object({ error: z.string(), message: z.string() })
          .describe('Paths of its log entries, as far as the logs reach back'),
        decisions: z.array(decision).describe('What each step decided, in order; empty for a run of a job'),
        timeline: timeline.nullable().describe('Milliseconds from the beginning of the call; null for a run of a job'),
      }),
    ),
    problems: ['monitorOff', 'monitorAway'],
    async handle({ parts, params: { transactionId }, caller }) {
      const [found, timed] = await readMonitor(parts, (store) =>
        Promise.all([store.find(transactionId), store.timeline(transactionId)]),
      )
      if (!found) throw notFound(`transaction ${transactionId} in the monitor`)
      const logAt = (log: string) => `/api/logs/${log}?transaction=${encodeURIComponent(transactionId)}`
      const described = describe(found, caller)
      const decisions = recall(found, described.reason)
      const ran = timed ? describeTimeline(timed) : null
      return {
        body: { ...described, decisions, timeline: ran, logs: { error: logAt('error'), message: logAt('message') } },
      }
    },
  }),
  action({
    operationId: 'getTransactionMessages',
    tag,
    summary: 'Get headers and bodies of a transaction, with redacted secrets',
    description:
      "Kept as text if the operation's log detail is header or headerAndDetail. Only for the roles operator and administrator, because they may contain personal data.",
    method: 'GET',
    path: '/api/monitor/transactions/:transactionId/messages',
    access: 'operator',
    params: byId,
    answer: name('MonitoredMessages', z.object({ request: messages, response: messages })),
    problems: ['monitorOff', 'monitorAway'],
    async handle({ parts, params: { transactionId } }) {
      const found = await readMonitor(parts, (store) => store.messages(transactionId))
      if (!found) throw notFound(`message of a transaction ${transactionId} in the monitor`)
      return { body: { request: describeMessage(found.request), response: describeMessage(found.response) } }
    },
  }),
  action({
    operationId: 'getMonitor',
    tag,
    summary: 'Get the state and limits of the monitor',
    method: 'GET',
    path: '/api/monitor',
    access: 'viewer',
    answer: name(
      'Monitor',
      z.object({
        isOn: z.boolean(),
        transactions: z.int().describe('Approximate number of transactions kept'),
        oldest: time.nullable(),
        retention: z
          .object({ days: z.int(), transactions: z.int(), bytes: z.int() })
          .nullable()
          .describe('The limit reached first applies'),
        perSecond: z.int().nullable().describe('Maximum number of transactions kept per second'),
        minDurations: z.array(z.number()).describe('Values that `minDuration` accepts'),
      }),
    ),
    problems: ['monitorAway'],
    async handle({ parts }) {
      const { monitor } = parts.settings
      const minDurations = [...durationSteps]
      if (!monitor.isOn)
        return { body: { isOn: false, transactions: 0, oldest: null, retention: null, perSecond: null, minDurations } }
      const { days, transactions, bytes, perSecond } = monitor
      const { oldest, ...extent } = await readMonitor(parts, (store) => store.extent())
      return {
        body: {
          isOn: true,
          ...extent,
          oldest: oldest === undefined ? null : toTime(oldest),
          retention: { days, transactions, bytes },
          perSecond,
          minDurations,
        },
      }
    },
  }),
  ...callerActions,
  exportAction,
]

function sumUp(losses: Awaited<ReturnType<MonitorStore['losses']>>) {
  const sum = (errors: boolean) =>
    losses.filter(({ isError }) => isError === errors).reduce((all, { transactions }) => all + transactions, 0)
  const reasons = [...new Set(losses.map(({ reason }) => reason))]
  return { done: sum(false), error: sum(true), reasons }
}
