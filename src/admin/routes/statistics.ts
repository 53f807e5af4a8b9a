/** How the cluster does: rates, percentiles, refusals and instances of the last minutes, and metrics (specification 20.1, 20.8, 20.9). */
import { z } from 'zod'
import { drawOverview, type Figures } from '../../observe/metrics/overview.ts'
import { stepLength } from '../../observe/metrics/steps.ts'
import type { AdminParts } from '../parts.ts'
import { AdminProblem } from '../problem-details.ts'
import { route } from '../route.ts'
import { name, time, toTime } from '../schemas.ts'

const milliseconds = z.number().nullable().describe('Milliseconds; null without calls')
const figureShape = {
  calls: z.int(),
  perSecond: z.number(),
  failed: z.int().describe('Refused, or answered with 4xx or 5xx'),
  cacheHits: z.int(),
  cacheMisses: z.int(),
  cacheHitRate: z.number().nullable().describe('0 to 1, of calls that could be answered from the cache'),
  p50: milliseconds,
  p95: milliseconds,
  p99: milliseconds,
  refusals: z.record(z.string(), z.int()).describe('By code, most first'),
}
const figures = name('Figures', z.object(figureShape))
const point = name('StatisticsPoint', z.object({ time: time.describe('When the step began'), ...figureShape }))
const operationFigures = name(
  'OperationFigures',
  z.object({
    operation: z
      .string()
      .describe('ECHO_GET.v1; in parentheses what is none: (unknown), (description), (options), (others)'),
    method: z.string(),
    ...figureShape,
  }),
)
const instance = name(
  'Instance',
  z.object({
    id: z.string(),
    host: z.string(),
    url: z.string().describe('Where it serves calls'),
    version: z.string(),
    processes: z.int(),
    revision: z.int().nullable().describe('In force there, the lowest of its processes; null where files are served'),
    started: time,
    seen: time.describe('When it was last heard of'),
    state: z
      .enum(['current', 'behind', 'missing'])
      .describe('behind: another revision than the one to be in force; missing: not heard of for 15 seconds'),
    conditions: z
      .array(z.object({ process: z.int().describe('Its process id'), name: z.string(), detail: z.string() }))
      .describe('What is not as usual in its processes, as /readyz lists it'),
    isThis: z.boolean().describe('It answered this request'),
  }),
)

/** Milliseconds: three heartbeats. */
const missingAfter = 15_000

const sortings = {
  calls: (figures: Figures) => figures.calls,
  failed: (figures: Figures) => figures.failed,
  p95: (figures: Figures) => figures.p95 ?? 0,
} as const

export const statisticsRoutes = [
  route({
    operationId: 'getStatistics',
    tag: 'State',
    summary: 'Calls of the last minutes in steps of five seconds, of all instances together',
    description:
      'It ends a few seconds ago, when all instances have told. Percentiles are read from a histogram, and are near.',
    method: 'GET',
    path: '/api/statistics',
    access: 'viewer',
    query: z.object({
      minutes: z.coerce.number().int().min(1).max(15).default(5),
      operation: z.string().max(200).optional().describe('Points and total of this one alone: ECHO_GET.v1'),
      sort: z.enum(['calls', 'failed', 'p95']).default('calls').describe('Of the operations, most first'),
      limit: z.coerce.number().int().min(1).max(200).default(20).describe('Of the operations'),
    }),
    answer: name(
      'Statistics',
      z.object({
        from: time,
        to: time,
        stepSeconds: z.int(),
        instances: z.int().describe('Of which calls are counted here'),
        isPartial: z.boolean().describe('The store does not answer: these are the calls of this instance alone'),
        total: figures,
        points: z.array(point),
        operations: z.array(operationFigures),
        operationCount: z.int().describe('That were called'),
      }),
    ),
    problems: ['metricsOff'],
    async handle({ parts, query }) {
      const { heartbeat } = requireMetrics(parts)
      const { isAlone, steps } = await heartbeat.readAll(parts.storeWatch.ask)
      const drawn = drawOverview(steps, { now: heartbeat.now(), ...query })
      const weight = sortings[query.sort]
      const operations = drawn.operations.toSorted((one, other) => weight(other) - weight(one))
      return {
        body: {
          from: toTime(drawn.from),
          to: toTime(drawn.to),
          stepSeconds: stepLength / 1000,
          instances: steps.length,
          isPartial: isAlone,
          total: drawn.total,
          points: drawn.points.map((each) => ({ ...each, time: toTime(each.time) })),
          operations: operations.slice(0, query.limit),
          operationCount: operations.length,
        },
      }
    },
  }),
  route({
    operationId: 'listInstances',
    tag: 'State',
    summary: 'The instances of this cluster, and the revision in force in each',
    description:
      'One that has not been heard of for a quarter of an hour, or has stopped in order, is no longer listed.',
    method: 'GET',
    path: '/api/instances',
    access: 'viewer',
    answer: z.object({
      isPartial: z.boolean().describe('The store does not answer: others are not known'),
      activeRevision: z.int().nullable(),
      items: z.array(instance),
    }),
    problems: ['metricsOff'],
    async handle({ parts }) {
      const { heartbeat } = requireMetrics(parts)
      const { isAlone, instances } = await heartbeat.readAll(parts.storeWatch.ask)
      const active = parts.revisions && (await parts.store.revisions.active().catch(() => undefined))
      const now = heartbeat.now()
      return {
        body: {
          isPartial: isAlone,
          activeRevision: active?.revision ?? null,
          items: instances.map(({ started, seen, ...rest }) => {
            const isBehind = active !== undefined && rest.revision !== active.revision
            const state =
              now - seen > missingAfter ? ('missing' as const) : isBehind ? ('behind' as const) : ('current' as const)
            const conditions = [...rest.conditions]
            return {
              ...rest,
              conditions,
              started: toTime(started),
              seen: toTime(seen),
              state,
              isThis: rest.id === heartbeat.id,
            }
          }),
        },
      }
    },
  }),
]

function requireMetrics({ metrics }: AdminParts) {
  if (metrics) return metrics
  throw new AdminProblem('metricsOff', 'Nothing is counted here: ig.metrics is off.')
}
