/** What has moved, who calls it, and who would lose what (specification 40.1). */
import { z } from 'zod'
import { readMonitorDatabase } from '../../actions/outage.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { operationStates, reportAdoption } from '../../project/report-adoption.ts'
import { listComparisons } from '../../project/substitutes.ts'
import { route } from '../route.ts'

export const adoptionRoutes = [
  route({
    operationId: 'getAdoption',
    tag: 'Monitor',
    summary: 'Report what has moved, who calls it, and who would lose what',
    description:
      'For the active configuration and the current operators, from the newest 100,000 transactions that the monitor keeps. Without a monitor it has no calls.',
    method: 'GET',
    path: '/api/adoption',
    access: 'viewer',
    query: z.object({ days: z.coerce.number().int().min(1).max(366).default(7) }),
    answer: name(
      'Adoption',
      z.object({
        isMonitored: z.boolean(),
        isComplete: z.boolean().describe('False if older transactions of this time span were not read'),
        operations: z.array(
          z.object({
            id: z.string().describe('HIRE_GET.v1'),
            state: z.enum(operationStates),
            calls: z.int(),
            callers: z.array(z.string()).describe('Ids of operators'),
            compared: z
              .object({ calls: z.int(), differ: z.int() })
              .nullable()
              .describe('Calls whose answers a shadow has compared with those of the original; null for none'),
            last: time.nullable().describe('Time of the last call, UTC'),
          }),
        ),
        leftOut: z
          .array(z.object({ operation: z.string(), headers: z.array(z.string()) }))
          .describe('Headers that pass-through left out: `request x-custom`'),
        losses: z.array(
          z.object({
            operation: z.string().describe('HIRE_GET.v1, or GET HIRE.v1 as in the URL'),
            operator: z.string().nullable().describe('Null if it is not known'),
            lacks: z.enum(['operation', 'operator', 'permission']),
            reason: z.string(),
            calls: z.int(),
            last: time,
          }),
        ),
      }),
    ),
    problems: ['monitorAway'],
    async handle({ parts, query: { days } }) {
      const from = Math.floor(parts.now()) - days * 24 * 3_600_000
      const { usage: read } = parts.opened.find(({ usage }) => usage) ?? {}
      const usage = read && (await readMonitorDatabase(parts.gateway.condition, () => read(from)))
      const compared = await listComparisons(parts.store.databases)
      const { operators } = parts.gateway
      const { operations, losses, ...rest } = reportAdoption(parts.catalog(), operators, usage, compared)
      return {
        body: {
          ...rest,
          operations: operations.map(({ last, compared = null, ...operation }) => ({
            ...operation,
            compared,
            last: last === undefined ? null : toTime(last),
          })),
          losses: losses.map(({ operator = null, last, ...loss }) => ({ ...loss, operator, last: toTime(last) })),
        },
      }
    },
  }),
]
