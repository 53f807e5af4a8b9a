/**
 * A permission policy: rules that state which operators must, or must not, be allowed to call what. Each is checked against the
 * current operators and permission lists (specification 15.7).
 *
 *     allow DEMO KEY_VALUE_POST.v1
 *     deny GUEST KEY_VALUE_*
 */

import { suggest } from '../base/nearest.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { findPermission } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import type { Catalog } from './catalog.ts'

export const policyFileName = 'permissions.policy'

export interface PolicyLine {
  /** The line's number, from 1. */
  readonly number: number
  readonly expects: 'allow' | 'deny'
  /** An id; `*` matches any characters. */
  readonly operator: string
  /** `KEY_VALUE_POST.v1`, with `*` as above. */
  readonly operation: string
}

export interface Policy {
  readonly lines: readonly PolicyLine[]
  readonly problems: readonly Problem[]
}

/** Reports every line that cannot be parsed; the others still apply. */
export function parsePolicy(text: string): Policy {
  const lines: PolicyLine[] = []
  const problems: Problem[] = []
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const [, expects, operator = '', operation = ''] = /^(allow|deny)\s+(\S.*?)\s+(\S+)$/.exec(line) ?? []
    if (expects === 'allow' || expects === 'deny') lines.push({ number: index + 1, expects, operator, operation })
    else problems.push({ path: placeOf(index + 1), message: `is not a policy rule: ${quote(line)}. ${form}` })
  }
  return { lines, problems }
}

const form = 'Write allow or deny, an operator and an operation: allow DEMO KEY_VALUE_POST.v1'

/** Every violated rule, in the order of the file. */
export function checkPolicy(
  lines: readonly PolicyLine[],
  operators: ReadonlyMap<string, Operator>,
  { operations }: Pick<Catalog, 'operations'>,
): readonly Problem[] {
  return lines.flatMap((line) => {
    const message = findProblem(line, operators, operations)
    return message === undefined ? [] : [{ path: placeOf(line.number), message }]
  })
}

function findProblem(
  { expects, operator, operation }: PolicyLine,
  operators: ReadonlyMap<string, Operator>,
  operations: ReadonlyMap<string, Operation>,
): string | undefined {
  const who = select(operators, operator)
  const what = select(operations, operation)
  if (who.length === 0) return `names an unknown operator: ${quote(operator)}${suggest(operator, operators.keys())}`
  if (what.length === 0)
    return `names an unknown operation: ${quote(operation)}${suggest(operation, operations.keys())}`
  let violations = 0
  let first = ''
  for (const one of who) {
    for (const wanted of what) {
      const { isAllowed, reason } = findPermission(one, wanted)
      if (isAllowed === (expects === 'allow')) continue
      violations += 1
      if (violations === 1) first = `${one.id} ${isAllowed ? 'may' : 'may not'} call ${wanted.id}: ${reason}`
    }
  }
  if (violations === 0) return undefined
  const all = who.length * what.length
  return `is violated: ${first}${violations > 1 ? ` (and ${violations - 1} more of ${all})` : ''}`
}

function select<Item>(items: ReadonlyMap<string, Item>, pattern: string): readonly Item[] {
  if (!pattern.includes('*')) {
    const item = items.get(pattern)
    return item === undefined ? [] : [item]
  }
  const parts = pattern.split(/\*+/)
  return [...items].filter(([id]) => fits(id, parts)).map(([, item]) => item)
}

/** Finds each part at its first place: a regular expression with many `*` could take exponential time. */
function fits(id: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop() ?? ''
  if (!id.startsWith(first) || id.length < first.length + last.length || !id.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = id.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= id.length - last.length
}

function placeOf(line: number): string {
  return `${policyFileName}:${line}`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
