/** The list `jobs` of the configuration (specification 24.1, 24.2). */
import { z } from 'zod'
import { description, handler, itemName, time } from '../../configuration/fields.ts'
import { strictObject } from '../../configuration/schema.ts'
import type { Problem } from '../../model/problem.ts'
import { findCronProblem, intervalRule, isTimeZone, parseInterval } from './schedule.ts'

/** Code that runs by a schedule, on one process of the cluster at a time. */
export const job = strictObject({
  name: itemName,
  description,
  isActive: z.boolean().default(true).meta({ title: 'Active', description: 'An inactive job runs only on request' }),
  every: z
    .string()
    .refine((text) => parseInterval(text) !== undefined, intervalRule)
    .optional()
    .meta({
      title: 'Interval',
      description: '`30s`, `5min`, `12h`, `7d`: the job is due at its multiples since 1970 in UTC. Either this or `at`',
    }),
  at: z
    .string()
    .superRefine((text, context) => {
      const problem = findCronProblem(text)
      if (problem !== undefined) context.addIssue(problem)
    })
    .optional()
    .meta({
      title: 'Cron expression',
      description: 'Minute, hour, day of the month, month, day of the week: `0 3 * * *`. Either this or `every`',
    }),
  timeZone: z.string().refine(isTimeZone, 'must be a time zone, such as Europe/Berlin').optional().meta({
    title: 'Time zone',
    description: 'Time zone of the cron expression, such as `Europe/Berlin`. Default: `UTC`',
  }),
  handler: handler.meta({
    title: 'Handler',
    description: 'The class that runs: `handlers/clean-up.ts`, or `handlers/clean-up.ts#CleanUp`',
  }),
  timeLimit: time.default('5min').meta({
    title: 'Time limit',
    description: 'A longer run is ended and rolled back',
  }),
  retries: z.int().min(0, 'must be 0 to 10').max(10, 'must be 0 to 10').default(0).meta({
    title: 'Retries',
    description: 'Number of times a failed run is repeated: after 10 seconds, then after twice as long each time',
  }),
})

export type JobDefinition = z.output<typeof job>

type UncheckedSchedule = Partial<Record<'every' | 'at' | 'timeZone', string | null | undefined>>

/** Rules that involve several of its fields. */
export function* check({ jobs }: { readonly jobs?: readonly (UncheckedSchedule | null)[] | null }): Iterable<Problem> {
  for (const [index, job] of (jobs ?? []).entries()) {
    if (!job) continue
    const path = `jobs[${index}]`
    const { every, at, timeZone } = job
    if (every === undefined && at === undefined)
      yield { path, message: "needs every or at: every: '5min', or at: '0 3 * * *'" }
    if (every !== undefined && at !== undefined)
      yield { path: `${path}.at`, message: 'cannot be combined with every: leave one of them out' }
    if (every !== undefined && timeZone !== undefined)
      yield { path: `${path}.timeZone`, message: 'has no effect with every: leave it out, or use at' }
  }
}
