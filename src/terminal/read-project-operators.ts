/**
 * The operators for questions: those of the store, or the project's sample operators if the store has none yet, so that
 * a new project can answer before its first start (specification 15.8).
 */
import { existsSync } from 'node:fs'
import type { SampleOperator } from '../configuration/sample-operator.ts'
import type { Operator } from '../model/operator.ts'
import type { Project } from '../project/open-project.ts'
import type { Settings } from '../settings.ts'
import { warn } from './print.ts'
import { withStore } from './with-store.ts'

type Operators = ReadonlyMap<string, Operator>

/** Creates no database. @throws StoreUnavailable */
export async function readProjectOperators({ database }: Settings, project: Pick<Project, 'sampleOperators'>) {
  return orSamples(isAbsent(database) ? new Map() : await listOperators(database), project.sampleOperators)
}

/** @param operators of the store */
export function orSamples(operators: Operators, samples: readonly SampleOperator[]): Operators {
  if (operators.size > 0 || samples.length === 0) return operators
  warn("the store has no operators yet; showing the project's sample operators, which ig dev adds.")
  return new Map(samples.map((sample) => [sample.id, asOperator(sample)]))
}

export function isAbsent(database: string): boolean {
  return !database.includes('://') && !existsSync(database)
}

async function listOperators(database: string): Promise<Operators> {
  const operators = await withStore(database, (store) => store.operators.list())
  return new Map(operators.map((operator) => [operator.id, operator]))
}

/** A sample operator without its password: questions need no authentication. */
function asOperator({ id, description, email, isLocked, permissionLists }: SampleOperator): Operator {
  const emails = [{ type: 'business', address: email, isPrimary: true }]
  return { id, description, passwordHash: undefined, emails, isLocked, permissionLists }
}
