/** The history of metrics, as the console's charts draw it (specification 43.4 to 43.7). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { ids, name, time, toTime } from '../../actions/schemas.ts'
import { maxPoints } from './history-view.ts'
import { errorsLeft, objectivesOf } from './objectives.ts'
import { readHistory, readOperations } from './read-history.ts'
import { figures, operationFigures, point } from './schemas.ts'

const caller = z.object({
  operator: z.string().nullable().describe('Null: refused before it was known'),
  calls: z.int(),
})

const instanceHistory = name(
  'InstanceHistory',
  z.object({
    id: z.string().describe('host:8080'),
    points: z.array(
      z.object({
        time,
        memory: z.number().nullable().describe('Bytes of all its processes, the highest of the step'),
        delay: z.number().describe('Milliseconds that an event loop was late, at most'),
      }),
    ),
  }),
)

export const historyActions = [
  action({
    operationId: 'getMetricsHistory',
    tag: 'State',
    summary: 'Get figures of calls in a time span of up to nine days',
    description: `At most ${maxPoints} points. Up to the last 15 minutes the steps have five seconds; else one minute or more, and one hour or more if the span begins more than 48 hours ago. A step without a point is a gap: no instance counted calls.`,
    method: 'GET',
    path: '/api/metrics/history',
    access: 'viewer',
    query: z.object({
      from: time.optional().describe('Default: minutes before the end'),
      to: time.optional().describe('Default: now'),
      minutes: z.coerce.number().int().min(1).max(12_960).default(60),
      operation: z.string().min(1).max(200).optional().describe('Points, total and callers of ECHO_GET.v1 only'),
      sort: z.enum(['calls', 'failed', 'mean']).default('calls').describe('Order of the operations, highest first'),
      limit: z.coerce.number().int().min(1).max(200).default(20).describe('Maximum number of operations'),
    }),
    answer: name(
      'MetricsHistory',
      z.object({
        from: time,
        to: time,
        stepSeconds: z.int(),
        isPartial: z.boolean().describe('Whether only calls of this instance are counted, because of a store outage'),
        isCut: z.boolean().describe('Whether some steps have only the most called operations; the rest is (others)'),
        objective: z
          .object({
            allowed: z.number().describe('Share of calls that may fail or be slow: 0.001 if its slo is 99.9%'),
            latency: z.number().nullable().describe('Milliseconds; a served call that takes longer is slow'),
            left: z.number().describe('Share of the errors allowed in the time span that is left; below 0: too many'),
          })
          .nullable()
          .describe('Of one operation with an slo, else null'),
        total: figures,
        points: z.array(point),
        callers: z.array(caller).describe('The most frequent ones'),
        otherCallers: z.int().describe('Calls of further callers'),
        operations: z.array(operationFigures),
        operationCount: z.int().describe('Number of called operations'),
        instances: z.array(instanceHistory),
      }),
    ),
    problems: ['metricsOff'],
    async handle({ parts, query }) {
      const { from, to, ...rest } = query
      const span = { from: parse(from), to: parse(to) }
      const found = await readHistory(parts, { ...rest, ...span })
      const timed = <Each extends { readonly time: number }>(points: readonly Each[]) =>
        points.map((each) => ({ ...each, time: toTime(each.time) }))
      const objective = objectivesOf(await parts.configuration()).get(query.operation ?? '')
      return {
        body: {
          ...found,
          objective: objective
            ? { ...objective, latency: objective.latency ?? null, left: errorsLeft(objective, found.total) }
            : null,
          from: toTime(found.from),
          to: toTime(found.to),
          stepSeconds: found.step / 1000,
          points: timed(found.points),
          callers: [...found.callers],
          operations: [...found.operations],
          instances: found.instances.map(({ id, points }) => ({ id, points: timed(points) })),
        },
      }
    },
  }),
  action({
    operationId: 'listOperationFigures',
    tag: 'State',
    summary: 'Get figures of the last day of some operations',
    description: 'As far as its minutes have ended. An operation that was not called is not listed.',
    method: 'GET',
    path: '/api/metrics/operations',
    access: 'viewer',
    query: z.object({ id: ids }),
    answer: z.object({ items: z.array(operationFigures) }),
    problems: ['metricsOff'],
    handle: async ({ parts, query: { id } }) => ({ body: { items: [...(await readOperations(parts, id))] } }),
  }),
]

function parse(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}
