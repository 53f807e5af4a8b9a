/** What has moved, who calls it, and who would lose what (specification 40.5). */
import { z } from 'zod'
import { reportAdoption } from '../../model/report-adoption.ts'
import { reading } from '../read-monitor.ts'
import { route } from '../route.ts'
import { name, time, toTime } from '../schemas.ts'

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
            state: z.enum(['moved', 'passedThrough', 'standIn']),
            calls: z.int(),
            callers: z.array(z.string()).describe('Ids of operators'),
            last: time.nullable().describe('Time of the last call, UTC'),
          }),
        ),
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
      const usage = parts.monitor && (await reading(parts, (store) => store.usage(from)))
      const { operations, losses, ...rest } = reportAdoption(parts.catalog(), parts.gateway.operators, usage)
      return {
        body: {
          ...rest,
          operations: operations.map(({ callers, last, ...operation }) => ({
            ...operation,
            callers: [...callers],
            last: last === undefined ? null : toTime(last),
          })),
          losses: losses.map(({ operator = null, last, ...loss }) => ({ ...loss, operator, last: toTime(last) })),
        },
      }
    },
  }),
]
