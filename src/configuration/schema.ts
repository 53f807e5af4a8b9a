/**
 * Messages of schemas: objects that name their keys, and every error in plain words with its path (specification 2.12).
 */
import { z } from 'zod'
import { suggest } from '../base/nearest.ts'
import { formatPath, maxErrors, type Problem } from '../model/problem.ts'

export const contentType = z
  .string()
  .regex(
    /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[\t\x20-\x7e]*)?$/,
    'must be a media type on one line, such as application/json; encoding=UTF-8',
  )
export const operatorId = z
  .string()
  .regex(/^[^\s:\p{C}](?:[^:\p{C}]{0,28}[^\s:\p{C}])?$/u, 'must be an operator id: 1 to 30 characters, without a colon')
export const defaultContentType = 'text/xml; encoding="UTF-8"'

/** Why a common but unsupported key is refused, by key. */
export type Explanations = Readonly<Record<string, string>>

/** An object that refuses unknown keys, and names the nearest one or explains. */
export function strictObject<const Shape extends z.ZodRawShape>(shape: Shape, explanations: Explanations = {}) {
  return z.strictObject(shape, { error: explainUnknown(Object.keys(shape), explanations) }).readonly()
}

/** The message of each unknown key, a line for each. */
export function explainUnknown(known: readonly string[], explanations: Explanations = {}): z.core.$ZodErrorMap {
  const explain = (key: string) => {
    if (Object.hasOwn(explanations, key)) return explanations[key]
    return `is not a known field${suggest(key, known) || (known.length > 0 ? `; known are ${known.join(', ')}` : '')}`
  }
  return (issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.slice(0, maxErrors).map(explain).join('\n') : undefined
}

/** An optional list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly().default([])
}

/**
 * @param input the parsed value: distinguishes a missing value from a wrong one
 * @param root its path, if it is part of something
 * @param whole the name of the value itself
 */
export function readIssues(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  root: readonly PropertyKey[] = [],
  whole = 'configuration',
): Problem[] {
  return issues.flatMap((issue) => {
    const path = [...root, ...issue.path]
    if (issue.code === 'invalid_union') return readBranch(issue, valueAt(input, issue.path), path, whole)
    if (issue.code !== 'unrecognized_keys') {
      return {
        path: path.length === 0 ? whole : formatPath(path),
        message: describe(issue, valueAt(input, issue.path)),
      }
    }
    const messages = issue.message.split('\n')
    const keys = issue.keys.slice(0, maxErrors)
    return keys.map((key, index) => ({ path: formatPath([...path, key]), message: messages[index] ?? '' }))
  })
}

/** Of the branch that the value is meant for, by its type; none: the first branch says what it must be. */
function readBranch(
  { errors }: z.core.$ZodIssueInvalidUnion,
  value: unknown,
  path: readonly PropertyKey[],
  whole: string,
): Problem[] {
  const isType = ({ code, path }: z.core.$ZodIssue) => code === 'invalid_type' && path.length === 0
  const branch = errors.find((issues) => !issues.some(isType)) ?? errors[0] ?? []
  return readIssues(branch, value, path, whole)
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String)
    if (value === undefined) return `is missing: one of ${known.join(', ')}`
    return `must be one of ${known.join(', ')}${typeof value === 'string' ? suggest(value, known) : ''}`
  }
  if (issue.code === 'invalid_type') {
    const expected = kinds[issue.expected] ?? issue.expected
    return value === undefined
      ? `is missing: it must be ${expected}`
      : `must be ${expected}, not ${kindOf(value, issue.expected)}`
  }
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  if (issue.code === 'too_big' && issue.message.startsWith('Too big: '))
    return reportBound('most', issue.maximum, issue)
  if (issue.code === 'too_small' && issue.message.startsWith('Too small: '))
    return reportBound('least', issue.minimum, issue)
  return issue.message
}

/** Issues without a message of their own. */
function reportBound(side: 'most' | 'least', bound: number | bigint, { origin }: { readonly origin: string }): string {
  const unit = units[origin]
  return unit ? `must have at ${side} ${bound} ${unit[Number(bound) === 1 ? 0 : 1]}` : `must be at ${side} ${bound}`
}

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  undefined: 'nothing',
}

/** A text that may have been meant. */
const isShown = (expected: string) => expected === 'boolean' || expected === 'number'

function kindOf(value: unknown, expected: string): string {
  if (value === null) return 'null'
  if (isShown(expected) && typeof value === 'string' && value.length < 20) return JSON.stringify(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return String(value)
  return kinds[typeof value] ?? `a ${typeof value}`
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input)
}
