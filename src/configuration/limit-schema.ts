/** A limit of the configuration: the rate of calls, the number of concurrent calls, or both (specification 25.1). */
import { z } from 'zod'
import { parseTime } from '../base/units.ts'
import { limitParts } from '../model/limit.ts'
import { listOf, operatorId, strictObject } from './schema.ts'

/** Seconds; undefined for any other text. */
export function parsePeriod(text: string): number | undefined {
  const seconds = (parseTime(text) ?? 0) / 1000
  return seconds >= 1 && Number.isInteger(seconds) ? seconds : undefined
}

const count = (most: number) => z.int().min(1, `must be 1 to ${most}`).max(most, `must be 1 to ${most}`)
const period = z
  .string()
  .refine(
    (text) => parsePeriod(text) !== undefined,
    'must be whole seconds, minutes or hours, 1s to 24h: 1s, 1min, 24h',
  )

export const limit = strictObject({
  /** Callers read it in `RateLimit-Policy`. */
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,29}$/, 'must be 1 to 30 letters, digits, underscores and hyphens, a letter first'),
  description: z.string().optional(),
  /** Counts calls separately by operator, address (IPv6: /64), network (/24, IPv6: /48), operation, or a combination. Empty: all calls together. */
  by: listOf(z.enum(limitParts)),
  /** Number of calls per `per`. */
  calls: count(1_000_000_000).optional(),
  /** The time in which `calls` are allowed, such as `1s` or `1min`. */
  per: period.optional(),
  /** Number of calls accepted at once. Default: a tenth of `calls`, at least 1. */
  burst: count(1_000_000_000).optional(),
  /** Number of concurrent calls, in each process. */
  concurrency: count(1_000_000).optional(),
  /** Number of calls that may wait for a slot, round robin by operator; only without operator, address and network in `by`. */
  queue: count(1_000_000).optional(),
  /** Counts only calls of these operations, and of the services: `ECHO_GET.v1`. Default: all. */
  operations: listOf(z.string()),
  /** Counts only calls of the operations of these services. */
  services: listOf(z.string()),
  /** Counts only calls of these operators. Default: all. */
  operators: listOf(operatorId),
  /** Does not count calls of these operators. */
  exceptOperators: listOf(operatorId),
})
