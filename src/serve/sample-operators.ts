/**
 * The sample operators of a project in the store: added for development, detected in production (specification 9.14).
 */

import type { SampleOperator } from '../configuration/sample-operator.ts'
import { findPasswordProblem } from '../model/password-policy.ts'
import type { Problem } from '../model/problem.ts'
import type { Store } from '../store/store.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { hashPassword, verifyPassword } from '../verification/password.ts'

/**
 * Adds missing ones; the others stay unchanged. @returns the ids added @throws Failure for a password that breaks the
 * rules
 */
export async function addSampleOperators(
  { operators }: Pick<Store, 'operators'>,
  samples: readonly SampleOperator[],
  hash = hashPassword,
): Promise<readonly string[]> {
  const known = new Set((await operators.list()).map(({ id }) => id))
  const absent = samples.filter(({ id }) => !known.has(id))
  for (const { id, password } of absent) {
    const problem = findPasswordProblem(password, id)
    if (problem !== undefined)
      throw new Failure(`the password of the sample operator ${id} ${problem}. Change it in the project.`)
  }
  const added: string[] = []
  for (const { id, description, password, email, isLocked, permissionLists } of absent) {
    const emails = [{ type: 'business', address: email, isPrimary: true }]
    const passwordHash = await hash(password) // one after the other: each takes 19 MiB
    if (await operators.add({ id, description, passwordHash, emails, isLocked, permissionLists })) added.push(id)
  }
  return added
}

/** Passwords that would not be added. */
export function findSampleProblems(samples: readonly SampleOperator[]): readonly Problem[] {
  return samples.flatMap(({ id, password }, index) => {
    const message = findPasswordProblem(password, id)
    return message === undefined ? [] : { path: `sampleOperators[${index}].password`, message }
  })
}

/** Unlocked operators whose password is public in the project. */
export async function findSamplePasswords(
  { operators }: Pick<Store, 'operators'>,
  samples: readonly SampleOperator[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const { id, password } of samples) {
    const { isLocked = true, passwordHash } = (await operators.find(id)) ?? {}
    if (isLocked || passwordHash === undefined) continue
    if (await verifyPassword(passwordHash, password).catch(() => false)) found.push(id)
  }
  return found
}
