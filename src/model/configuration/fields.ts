/** Fields that items of several lists have. */
import { z } from 'zod'
import { parseTime, timeRule } from '../../base/units.ts'
import { findReferenceProblem } from './handler-reference.ts'

export const name = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,29}$/, 'must be 1 to 30 capitals, digits and underscores, a capital first: MY_NAME')
export const time = z.string().refine((text) => parseTime(text) !== undefined, timeRule)
export const handler = z.string().superRefine((reference, context) => {
  const problem = findReferenceProblem(reference)
  if (problem !== undefined) context.addIssue(problem)
})

export const bodyPathRule = 'must begin with / and a name: /emplid in JSON, /request/emplid or /request/@id in XML'

export function isBodyPath(path: string): boolean {
  return /^(?:\/[^/]+)+$/.test(path)
}
