/** Operators by what callers state of themselves other than the id: an address, a certificate. */
import type { Operator } from '../model/operator.ts'
import type { Operators } from './verifier.ts'

/** Operators change in place in their map: an older index is rebuilt. Milliseconds. */
const maxAge = 250

/** @param keysOf the keys of an operator @returns finds those that have a key now */
export function openOperatorIndex(
  keysOf: (operator: Operator) => readonly string[],
  now: () => number,
): (key: string, operators: Operators) => readonly Operator[] {
  let index = new Map<string, Set<string>>()
  let indexedAt = Number.NEGATIVE_INFINITY
  let indexed: Operators | undefined
  return (key, operators) => {
    if (operators !== indexed || now() - indexedAt >= maxAge) {
      index = new Map()
      for (const operator of operators.values())
        for (const each of keysOf(operator)) index.set(each, (index.get(each) ?? new Set()).add(operator.id))
      indexedAt = now()
      indexed = operators
    }
    const found = [...(index.get(key) ?? [])].flatMap((id) => operators.get(id) ?? [])
    return found.filter((operator) => keysOf(operator).includes(key))
  }
}
