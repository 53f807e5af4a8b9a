/** Operators of a test: real rows of the store, real credentials, and generated passwords (specification 11.4). */
import { randomBytes } from 'node:crypto'
import { collectNames } from '../configuration/collect-names.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { parseSampleOperators, type SampleOperator } from '../configuration/sample-operator.ts'
import { ProjectProblems } from '../project/open-project.ts'
import type { NewOperator } from '../store/operator-store.ts'
import type { Store } from '../store/store.ts'
import { hashPassword } from '../verification/password.ts'

/** An operator of a test. Its password is generated: `as` sends it. */
export interface TestOperator {
  /** 1–30 characters. */
  readonly id: string
  /** By default `<id in lower case>@example.com`. */
  readonly email?: string
  /** `description` of the handler's operator. By default empty. */
  readonly description?: string
  /** A locked operator is refused. Default: false. */
  readonly isLocked?: boolean
  /** Names of permission lists of the configuration; by default none. */
  readonly permissionLists?: readonly string[]
}

/** @throws ProjectProblems, also for an unknown permission list */
export function checkTestOperators(
  operators: readonly TestOperator[],
  configuration: Configuration,
): readonly SampleOperator[] {
  const complete = operators.map((operator) => ({ email: emailOf(operator.id), ...operator, password: 'of the kit' }))
  const parsed = parseSampleOperators(complete, collectNames(configuration, configuration).permissionLists)
  if ('problems' in parsed) {
    throw new ProjectProblems(
      parsed.problems.map((problem) => ({ ...problem, path: problem.path.replace(/^sampleO/, 'o') })),
    )
  }
  return parsed.sampleOperators
}

export async function addTestOperators(store: Store, operators: readonly SampleOperator[]): Promise<void> {
  const { hash } = await password()
  for (const { id, description, email, isLocked, permissionLists } of operators) {
    const emails = [{ type: 'business', address: email, isPrimary: true }]
    const isNew = await store.operators.add({ id, description, passwordHash: hash, emails, isLocked, permissionLists })
    if (!isNew) await replaceOperator(store, { id, description, passwordHash: hash, emails, isLocked, permissionLists })
  }
}

/** Replaces an operator of a database that an earlier test has used. */
async function replaceOperator(
  { operators }: Store,
  operator: Required<Omit<NewOperator, 'certificates'>>,
): Promise<void> {
  const { id, description, passwordHash, emails, isLocked, permissionLists } = operator
  const former = (await operators.find(id))?.permissionLists ?? []
  await operators.setPasswordHash(id, passwordHash)
  await operators.setDescription(id, description)
  await operators.setEmails(id, emails)
  await operators.setLocked(id, isLocked)
  for (const list of former) if (!permissionLists.includes(list)) await operators.revoke(id, list)
  for (const list of permissionLists) if (!former.includes(list)) await operators.grant(id, list)
}

export async function basicCredentials(operatorId: string): Promise<string> {
  const { text } = await password()
  return `Basic ${Buffer.from(`${operatorId}:${text}`).toString('base64')}`
}

/** One for all operators of a process: each hash costs 8 ms. */
let known: Promise<{ readonly text: string; readonly hash: string }> | undefined

function password() {
  known ??= makePassword()
  return known
}

async function makePassword() {
  const text = randomBytes(18).toString('base64url')
  return { text, hash: await hashPassword(text) }
}

function emailOf(id: string): string {
  return `${
    id
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '.')
      .replace(/^\.|\.$/g, '') || 'operator'
  }@example.com`
}
