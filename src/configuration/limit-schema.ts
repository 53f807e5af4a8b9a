/** A limit of the configuration: the rate of calls, the number of concurrent calls, or both (specification 25.1). */
import { z } from 'zod'
import { parseTime } from '../base/units.ts'
import { limitParts } from '../model/limit.ts'
import { description } from './fields.ts'
import { listOf, operatorId, strictObject } from './schema.ts'

/** Seconds; undefined for any other text. */
export function parsePeriod(text: string): number | undefined {
  const seconds = (parseTime(text) ?? 0) / 1000
  return seconds >= 1 && Number.isInteger(seconds) ? seconds : undefined
}

const count = (max: number) => z.int().min(1, `must be 1 to ${max}`).max(max, `must be 1 to ${max}`)
const period = z
  .string()
  .refine(
    (text) => parsePeriod(text) !== undefined,
    'must be whole seconds, minutes or hours, 1s to 24h: 1s, 1min, 24h',
  )

export const limit = strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,29}$/, 'must be 1 to 30 letters, digits, underscores and hyphens, a letter first')
    .meta({
      title: 'Name',
      description: 'Callers read it in `RateLimit-Policy`: letters, digits, underscores and hyphens',
    }),
  description,
  by: listOf(z.enum(limitParts)).meta({
    title: 'Count separately by',
    description:
      'operator, address (IPv6: /64), network (/24, IPv6: /48), operation, or a combination. Empty: all calls together',
  }),
  calls: count(1_000_000_000)
    .optional()
    .meta({ title: 'Calls', description: 'Maximum number of calls in the time of `per`' }),
  per: period
    .optional()
    .meta({ title: 'Per', description: 'The time in which `calls` are allowed: `1s`, `1min`, `24h`' }),
  burst: count(1_000_000_000).optional().meta({
    title: 'Burst',
    description: 'Maximum number of calls at once. Default: a tenth of the calls, at least 1',
  }),
  concurrency: count(1_000_000)
    .optional()
    .meta({ title: 'Concurrency', description: 'Maximum number of concurrent calls per process' }),
  queue: count(1_000_000).optional().meta({
    title: 'Queue',
    description: 'Maximum number of waiting calls, round robin by operator; only by operation, or for all calls',
  }),
  operations: listOf(z.string()).meta({
    title: 'Only operations',
    description: 'Such as `ECHO_GET.v1`. Empty: all',
    'x-form': { of: 'operations' },
  }),
  services: listOf(z.string()).meta({
    title: 'Only services',
    description: 'The operations of these services too',
    'x-form': { of: 'services' },
  }),
  operators: listOf(operatorId).meta({ title: 'Only operators', description: 'Empty: all' }),
  exceptOperators: listOf(operatorId).meta({
    title: 'Except operators',
    description: 'Calls of these operators are not counted',
  }),
})
