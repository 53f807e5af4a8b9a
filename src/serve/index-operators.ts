/** The operators of a gateway by their ids; with `ig.compat.operatorCase` also by those of other letter case (specification 33.5). */
import type { Operator } from '../model/operator.ts'
import { type Settings, SettingsProblems } from '../settings.ts'
import { OperatorsOfAnyCase } from '../verification/basic/operator-case.ts'

/** @throws SettingsProblems if ids differ only in case, and the setting ignores case */
export function indexOperators(all: readonly Operator[], { compatibility }: Settings): Map<string, Operator> {
  const operators = compatibility.operatorCase ? new OperatorsOfAnyCase() : new Map<string, Operator>()
  for (const operator of all) operators.set(operator.id, operator)
  const problems = operators instanceof OperatorsOfAnyCase ? operators.problems() : []
  if (problems.length > 0) throw new SettingsProblems(problems)
  return operators
}
