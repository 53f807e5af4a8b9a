/** Figures of calls as the administration API answers them (specification 20.8, 43.4). */
import { z } from 'zod'
import { name, time } from '../../actions/schemas.ts'

const milliseconds = z.number().nullable().describe('Milliseconds, of calls that were not refused; null without any')
const figureShape = {
  calls: z.int(),
  perSecond: z.number(),
  refused: z.int().describe('Refused by the gateway because of the caller'),
  failed: z.int().describe('Answered with 5xx, or a stream that broke off'),
  slow: z.int().describe('Served calls that took longer than the slo of their operation allows'),
  failureRate: z.number().nullable().describe('0 to 1, share of calls that were not refused; null without any'),
  cacheHits: z.int(),
  cacheMisses: z.int(),
  cacheHitRate: z.number().nullable().describe('0 to 1, share of cacheable calls'),
  p50: milliseconds,
  p95: milliseconds,
  p99: milliseconds,
  mean: milliseconds,
  longest: milliseconds,
  refusals: z.record(z.string(), z.int()).describe('By code, most frequent first'),
  statuses: z.record(z.string(), z.int()).describe('By HTTP status'),
}
export const figures = name('Figures', z.object(figureShape))
export const point = name('StatisticsPoint', z.object({ time: time.describe('Start of the step'), ...figureShape }))
export const operationFigures = name(
  'OperationFigures',
  z.object({
    operation: z
      .string()
      .describe('ECHO_GET.v1; groups of other calls are in parentheses: (unknown), (description), (options), (others)'),
    method: z.string(),
    ...figureShape,
  }),
)
