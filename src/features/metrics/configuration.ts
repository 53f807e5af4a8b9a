/** The field `slo` of an operation: its objective, in the words of site reliability engineering (specification 43.10). */
import { z } from 'zod'
import { parseTime } from '../../base/units.ts'
import { time } from '../../configuration/fields.ts'
import { strictObject } from '../../configuration/schema.ts'

const rule = 'must be a percentage of calls, from 90% to 99.999%: 99.9%'

const slo = strictObject({
  availability: z
    .string()
    .refine((text) => parseAvailability(text) !== undefined, rule)
    .optional()
    .meta({
      title: 'Objective: good calls',
      description:
        'The share of calls, such as `99.9%`, that must neither fail nor be slow; refused calls do not count. Below 93.1% only the warning can begin. Default: `99%`, if there is a latency',
    }),
  latency: time.optional().meta({
    title: 'Objective: latency',
    description: 'A served call that takes longer, such as `300ms`, is slow. Left out: no call is slow',
  }),
}).refine(({ availability, latency }) => availability !== undefined || latency !== undefined, {
  error: "needs availability, latency or both: { availability: '99.9%', latency: '300ms' }",
})

export const operationFields = {
  slo: slo
    .optional()
    .describe('The objective of the operation: its calls that are slow, and alerts when too many fail or are slow'),
}

export interface OperationWithSlo {
  readonly slo?: z.output<typeof slo> | undefined
}

/** Milliseconds. */
export function slowAfterOf({ slo }: OperationWithSlo): number | undefined {
  return slo?.latency === undefined ? undefined : parseTime(slo.latency)
}

/** @returns percent */
export function parseAvailability(text: string): number | undefined {
  const [, digits] = /^(9\d(?:\.\d{1,3})?) ?%$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}
