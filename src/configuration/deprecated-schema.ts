/** The deprecation of an operation (specification 2.32, RFC 9745 and RFC 8594). */
import { z } from 'zod'
import type { Deprecation, StatedDeprecation } from '../model/deprecation.ts'
import { strictObject } from './schema.ts'

const dateRule = 'must be a date, or a date and time in UTC: 2026-12-31, or 2026-12-31T23:00:00Z'
const date = z.string().refine((text) => parseDate(text) !== undefined, dateRule)

/** Epoch milliseconds; a date begins at midnight UTC. */
export function parseDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/.test(text)) return undefined
  const time = Date.parse(text)
  const isReal = new Date(time || 0).toISOString().startsWith(text.replace('Z', '')) // 30 February would be 2 March
  return isReal ? time : undefined
}

export const deprecated = strictObject({
  since: date.meta({
    title: 'Deprecated since',
    description: 'A date, such as `2026-12-31`, or `2026-12-31T23:00:00Z`. Every response announces it',
  }),
  sunset: date.optional().meta({
    title: 'Removed on',
    description: 'The day from which it may be removed, if it is known',
  }),
  successor: z
    .string()
    .min(1, 'must name an operation such as HIRE_POST.v2, or be a URL')
    .optional()
    .meta({
      title: 'Successor',
      description: 'The operation that replaces it, such as `HIRE_POST.v2`, or a URL',
      'x-form': { of: 'operations' },
    }),
})

export function compileDeprecation(
  { since, sunset }: StatedDeprecation,
  successor: Deprecation['successor'],
): Deprecation {
  const seconds = Math.floor((parseDate(since) ?? 0) / 1000)
  const end = sunset === undefined ? [] : ['sunset', new Date(parseDate(sunset) ?? 0).toUTCString()]
  return { headers: ['deprecation', `@${seconds}`, ...end], successor }
}
