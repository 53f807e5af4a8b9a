/** What the monitor's actions answer and take: a transaction, and the filters of the list. */
import { z } from 'zod'
import type { Caller } from '../../actions/action.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { hasRole } from '../../actions/roles.ts'
import { flag, name, time } from '../../actions/schemas.ts'
import { callOutcomes, type RefusalCode, refusalTable } from '../../model/refusal.ts'
import { durationSteps, type MonitorFilter } from './monitored-transaction.ts'

const refusal = z.enum(Object.keys(refusalTable) as [RefusalCode, ...RefusalCode[]])
const status = z.enum(['Done', 'Error'])
const outcome = z.enum(callOutcomes)

export const transaction = name(
  'MonitoredTransaction',
  z.object({
    transactionId: z.string(),
    time: time.describe('End of the transaction, UTC'),
    durationMs: z.number(),
    status: status.describe('Error: refused, or answered with an HTTP status of 400 or higher'),
    httpStatus: z.int(),
    outcome: outcome.describe('refused: because of the caller; failed: by the handler or the gateway'),
    refusal: refusal.nullable(),
    reason: z.string().nullable().describe('The reason of a refusal, which the caller does not get'),
    method: z.string(),
    url: z.string().describe('Secrets redacted'),
    node: z.string().nullable().describe('Null if unknown, because the call was refused before it was determined'),
    operation: z.string().nullable(),
    operator: z.string().nullable(),
    claimed: z
      .string()
      .nullable()
      .describe('The name that a refused caller claimed, if an operator has it; null for viewers'),
    isCached: z.boolean().nullable().describe('Answered from the REST cache'),
    isSlow: z.boolean().describe("Served, but took longer than the operation's slo allows"),
    remoteAddress: z.string(),
    revision: z.int().nullable(),
    instance: z.string().describe('The process that answered: host and worker number'),
    hasMessages: z.boolean().describe("Whether headers or bodies are kept, by the operation's log detail"),
  }),
)
export const filters = z.object({
  status: status.optional().describe('Error: refused, or an HTTP status of 400 or higher'),
  outcome: outcome.optional().describe('What became of the call'),
  httpStatus: z.coerce.number().int().min(100).max(999).optional().describe('HTTP status of the response'),
  refusal: refusal.optional().describe('Code of the refusal'),
  method: z.string().max(20).optional().describe('HTTP method, or JOB for a run of a job'),
  node: z.string().max(100).optional().describe('Name of the node'),
  operation: z.string().max(200).optional().describe('ECHO_GET.v1'),
  operator: z.string().max(100).optional().describe('Id of the operator'),
  isCached: flag.optional().describe('Answered from the REST cache'),
  isSlow: flag.optional().describe('Slower than the operation should be: slo.latency'),
  minDuration: z.coerce
    .number()
    .refine((value) => (durationSteps as readonly number[]).includes(value), {
      error: `must be one of ${durationSteps.join(', ')}`,
    })
    .optional()
    .describe(`In milliseconds, one of ${durationSteps.join(', ')}`),
  from: time.optional().describe('Ended at this time or later'),
  to: time.optional().describe('Ended before this time'),
  url: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Part of the URL, case-insensitive. A page searches 10,000 transactions: it may be short or empty and still have a `next`',
    ),
  claimed: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The claimed name of a refused caller, case-insensitive; searches like `url`. Not for viewers'),
  transactionId: z.string().max(100).optional().describe('Id of the call'),
})

/** @throws AdminProblem `roleMissing`: a viewer could guess claimed names by filtering */
export function toFilter(query: z.output<typeof filters>, { role }: Caller): MonitorFilter {
  if (query.claimed !== undefined && !hasRole(role, 'operator'))
    throw new AdminProblem('roleMissing', `The filter claimed needs the role operator; yours is ${role}.`)
  const { status, minDuration, from, to, ...same } = query
  return {
    ...same,
    isError: status === undefined ? undefined : status === 'Error',
    durationMs: minDuration,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
  }
}
