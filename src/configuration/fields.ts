/** Fields that items of several lists have, and `x-form`: what forms know of a field besides its schema (specification 18.14). */
import { z } from 'zod'
import { isNetwork, networkRule } from '../base/address-list.ts'
import { isLoopback } from '../base/loopback.ts'
import { parseSize, parseTime, sizeRule, timeRule } from '../base/units.ts'
import { findReferenceProblem } from './handler-reference.ts'

declare module 'zod' {
  interface GlobalMeta {
    'x-form'?: {
      /** The list of the configuration whose items the field names. */
      readonly of?: string
      /** A text of several lines. */
      readonly isLong?: boolean
      /** The form requires a value, although the schema has a default or does not require it. */
      readonly isRequired?: boolean
      /** With `isRequired`: the fields of which one may have a value instead. */
      readonly orElse?: readonly string[]
      /** Values that the form proposes; others may be entered. */
      readonly options?: readonly string[]
      /** What each value means. */
      readonly meanings?: Readonly<Record<string, string>>
      /** An input that the type does not say. */
      readonly kind?: 'password'
      /** A warning if there is no value. */
      readonly missing?: string
    }
  }
}

export const name = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,29}$/, 'must be 1 to 30 capitals, digits and underscores, a capital first: MY_NAME')
export const itemName = name.meta({ title: 'Name', description: '1 to 30 uppercase letters, digits and underscores' })
export const description = z
  .string()
  .optional()
  .meta({ title: 'Description', 'x-form': { isLong: true } })
export const time = z.string().refine((text) => parseTime(text) !== undefined, timeRule)
export const size = z.string().refine((text) => parseSize(text) !== undefined, sizeRule)
export const logDetail = z
  .enum(['none', 'header', 'headerAndDetail'])
  .default('none')
  .meta({ title: 'Log detail', description: 'What the message log and the monitor keep of a call' })
/** Not empty. */
export const someOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item).min(1, 'must have at least one value, or be left out').readonly().optional()
export const allowedAddresses = someOf(z.string().refine(isNetwork, networkRule)).meta({
  title: 'Allowed addresses',
  description: 'Only calls from these addresses and networks are accepted, such as `10.1.0.0/16`',
})
export const handler = z.string().superRefine((reference, context) => {
  const problem = findReferenceProblem(reference)
  if (problem !== undefined) context.addIssue(problem)
})

export const bodyPathRule = 'must begin with / and a name: /emplid in JSON, /request/emplid or /request/@id in XML'

export function isBodyPath(path: string): boolean {
  return /^(?:\/[^/]+)+$/.test(path)
}

/** The URL of another server. */
export const serverUrl = z.string().superRefine((text, context) => {
  const problem = findUrlProblem(text)
  if (problem !== undefined) context.addIssue(problem)
})

function findUrlProblem(text: string): string | undefined {
  const rule = 'must be an https URL, or an http one on loopback, such as https://original.example'
  if (!URL.canParse(text)) return rule
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '')
    return 'must have no user or password: set credentials and ig.passThrough.service'
  if (/[?#]/.test(text)) return 'must have no query and no fragment: the target of each call is appended'
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')))) return undefined
  return rule
}
