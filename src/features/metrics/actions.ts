/** Statistics of recent calls, instances and metrics (specification 20.1, 20.8, 20.9). */
import { z } from 'zod'
import { type ActionParts, action } from '../../actions/action.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { alertActions } from './alert-actions.ts'
import type { Figures } from './call-sum.ts'
import { missingAfter } from './find-alerts.ts'
import { historyActions } from './history-actions.ts'
import { drawOverview } from './overview.ts'
import { requireMetrics } from './require-metrics.ts'
import { figures, operationFigures, point } from './schemas.ts'
import { stepLength } from './steps.ts'

const instance = name(
  'Instance',
  z.object({
    id: z.string(),
    host: z.string(),
    url: z.string().describe('The URL where it serves calls'),
    version: z.string(),
    processes: z.int(),
    revision: z.int().nullable().describe('The lowest active revision of its processes; null if it serves files'),
    started: time,
    seen: time.describe('Last report of the instance'),
    state: z
      .enum(['current', 'behind', 'missing'])
      .describe('behind: serves a revision other than the active one; missing: no report for 15 seconds'),
    conditions: z
      .array(z.object({ process: z.int().describe('Process id'), name: z.string(), detail: z.string() }))
      .describe('Conditions of its processes, as /readyz lists them'),
    isThis: z.boolean().describe('Whether this instance answered the request'),
  }),
)

/** Milliseconds: three heartbeats. */

const sortings = {
  calls: (figures: Figures) => figures.calls,
  failed: (figures: Figures) => figures.failed,
  p95: (figures: Figures) => figures.p95 ?? 0,
} as const

export const actions = [
  action({
    operationId: 'getStatistics',
    tag: 'State',
    summary: 'Get statistics of recent calls of all instances, in steps of five seconds',
    description:
      'The last step ended a few seconds ago, when all instances had reported. Percentiles come from a histogram and are approximate.',
    method: 'GET',
    path: '/api/statistics',
    access: 'viewer',
    query: z.object({
      minutes: z.coerce.number().int().min(1).max(15).default(5),
      operation: z.string().max(200).optional().describe('Limits points and total to this operation: ECHO_GET.v1'),
      sort: z.enum(['calls', 'failed', 'p95']).default('calls').describe('Order of the operations, highest first'),
      limit: z.coerce.number().int().min(1).max(200).default(20).describe('Maximum number of operations'),
    }),
    answer: name(
      'Statistics',
      z.object({
        from: time,
        to: time,
        stepSeconds: z.int(),
        instances: z.int().describe('Number of instances whose calls are counted'),
        isPartial: z.boolean().describe('Whether only calls of this instance are counted, because of a store outage'),
        total: figures,
        points: z.array(point),
        operations: z.array(operationFigures),
        operationCount: z.int().describe('Number of called operations'),
      }),
    ),
    problems: ['metricsOff'],
    async handle({ parts, query }) {
      const { heartbeat } = requireMetrics(parts)
      const { isAlone, steps } = await heartbeat.readAll()
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
  action({
    operationId: 'listInstances',
    tag: 'State',
    summary: 'List the instances of the cluster with their active revision',
    description: 'Instances that stopped, or have not reported for 15 minutes, are not listed.',
    method: 'GET',
    path: '/api/instances',
    access: 'viewer',
    answer: z.object({
      isPartial: z.boolean().describe('Whether only this instance is listed, because of a store outage'),
      activeRevision: z.int().nullable(),
      items: z.array(instance),
    }),
    problems: ['metricsOff'],
    async handle({ parts }) {
      const { heartbeat } = requireMetrics(parts)
      const { isAlone, instances } = await heartbeat.readAll()
      const servesFiles = parts.gateway?.catalog.revision === undefined
      const active = servesFiles ? undefined : await parts.store.revisions.active().catch(() => undefined)
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
  ...historyActions,
  ...alertActions,
]

export const documents = {
  '/metrics': (parts: ActionParts, accept: string | undefined) => requireMetrics(parts).scrape(accept),
}
