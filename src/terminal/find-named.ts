/** Finds the operation or operator that a command names, or suggests known ones. */

import { suggest } from '../base/nearest.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { Failure } from './explain-failure.ts'
import { show } from './print.ts'

/** @param name `KEY_VALUE_POST.v1`, or without the version if there is only one */
export function requireOperation<Named extends Pick<Operation, 'id' | 'fullName'>>(
  name: string,
  { operations }: { readonly operations: ReadonlyMap<string, Named> },
): Named {
  const exact = operations.get(name)
  if (exact) return exact
  const [only, ...others] = [...operations.values()].filter(({ fullName }) => fullName === name)
  if (only && others.length === 0) return only
  const fullNames = [...operations.values()].map(({ fullName }) => fullName)
  if (only)
    throw new Failure(`${show(name)} has several versions: ${[only, ...others].map(({ id }) => id).join(', ')}.`)
  const known = name.includes('.') ? operations.keys() : fullNames
  throw new Failure(`there is no operation ${show(name)}${suggest(name, known) || '.'}`)
}

export function requireOperator(id: string, operators: ReadonlyMap<string, Operator>): Operator {
  const operator = operators.get(id)
  if (operator) return operator
  throw new Failure(`there is no operator ${show(id)}${suggest(id, operators.keys()) || '.'}`)
}
