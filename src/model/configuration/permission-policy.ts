/**
 * A permission policy: lines that say who must, and who must not, be allowed what; each of them is held against the
 * operators and permission lists as they are (specification 15.7).
 *
 *     allow DEMO KEY_VALUE_POST.v1
 *     deny GUEST KEY_VALUE_*
 */

import { suggest } from '../../base/nearest.ts'
import type { Catalog } from '../catalog.ts'
import type { Operation } from '../operation.ts'
import type { Operator } from '../operator.ts'
import { findPermission } from '../permission.ts'
import type { Problem } from '../problem.ts'

export const policyFile = 'permissions.policy'

export interface PolicyLine {
  /** From 1. */
  readonly number: number
  readonly expects: 'allow' | 'deny'
  /** An id; `*` stands for any run of characters. */
  readonly operator: string
  /** `KEY_VALUE_POST.v1`, with `*` alike. */
  readonly operation: string
}

export interface Policy {
  readonly lines: readonly PolicyLine[]
  readonly problems: readonly Problem[]
}

/** Every line that cannot be read is a problem; the others are still good. */
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
    else problems.push({ path: placeOf(index + 1), message: `is no line of a policy: ${quote(line)}. ${form}` })
  }
  return { lines, problems }
}

const form = 'Write allow or deny, an operator and an operation: allow DEMO KEY_VALUE_POST.v1'

/** Every line that does not hold, in the order of the file. */
export function checkPolicy(
  lines: readonly PolicyLine[],
  operators: ReadonlyMap<string, Operator>,
  { operations }: Pick<Catalog, 'operations'>,
): readonly Problem[] {
  return lines.flatMap((line) => {
    const message = findFault(line, operators, operations)
    return message === undefined ? [] : [{ path: placeOf(line.number), message }]
  })
}

function findFault(
  { expects, operator, operation }: PolicyLine,
  operators: ReadonlyMap<string, Operator>,
  operations: ReadonlyMap<string, Operation>,
): string | undefined {
  const who = select(operators, operator)
  const what = select(operations, operation)
  if (who.length === 0) return `names no operator: ${quote(operator)}${suggest(operator, operators.keys())}`
  if (what.length === 0) return `names no operation: ${quote(operation)}${suggest(operation, operations.keys())}`
  let faults = 0
  let first = ''
  for (const one of who) {
    for (const wanted of what) {
      const { isAllowed, reason } = findPermission(one, wanted)
      if (isAllowed === (expects === 'allow')) continue
      faults += 1
      if (faults === 1) first = `${one.id} ${isAllowed ? 'may' : 'may not'} call ${wanted.id}: ${reason}`
    }
  }
  if (faults === 0) return undefined
  const all = who.length * what.length
  return `does not hold: ${first}${faults > 1 ? ` (and ${faults - 1} more of ${all})` : ''}`
}

function select<Item>(items: ReadonlyMap<string, Item>, pattern: string): readonly Item[] {
  if (!pattern.includes('*')) {
    const item = items.get(pattern)
    return item === undefined ? [] : [item]
  }
  const parts = pattern.split(/\*+/)
  return [...items].filter(([id]) => fits(id, parts)).map(([, item]) => item)
}

/** Part after part, each at its first place: a regular expression of many `*` could take for ever. */
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
  return `${policyFile}:${line}`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
