/** Operators as the administration API answers with them, and what their actions share (specification 3.2, 18.19). */
import { z } from 'zod'
import type { ActionParts } from '../../actions/action.ts'
import { AdminProblem, notFound, shorten } from '../../actions/problem-details.ts'
import { emailAddress, name } from '../../actions/schemas.ts'
import { suggest } from '../../base/nearest.ts'
import { firstLoginMark, hasPassword, type Operator } from '../../model/operator.ts'
import type { ValueChange } from '../../store/operator-store.ts'
import type { Store } from '../../store/store.ts'

export const operator = name(
  'Operator',
  z.object({
    id: z.string(),
    description: z.string(),
    isLocked: z.boolean(),
    hasPassword: z
      .boolean()
      .describe('Whether Basic authentication is possible; the password itself is never returned'),
    emails: z.array(emailAddress),
    certificates: z.array(z.string()).describe('Names of its client certificates'),
    permissionLists: z.array(z.string()),
    firstLogin: z.boolean().optional().describe('Its first password is verified elsewhere (ig.passwords.…)'),
  }),
)

/** Reads the version first, so that a concurrent change makes the ETag too old, never too new. */
export async function answer(id: string, store: Store) {
  const version = await store.operators.versionOf(id)
  const found = await store.operators.find(id)
  if (!found || version === undefined) throw await unknownOperator(id, store)
  return { body: describe(found), etag: String(version) }
}

export async function requireOperator(id: string, { store }: ActionParts): Promise<Operator> {
  const found = await store.operators.find(id)
  if (found) return found
  throw await unknownOperator(id, store)
}

/** Names the nearest. */
export async function unknownOperator(id: string, { operators }: Pick<Store, 'operators'>): Promise<AdminProblem> {
  const all = await operators.list()
  const ids = all.map((each) => each.id)
  return notFound('operator', id, ids)
}

/** The audit entry from the store's result, because only the transaction knows the previous value. */
export function changeOf(subject: string) {
  return (result: unknown) => ({ subject, ...(result as ValueChange<unknown>) })
}

export async function requireLists(names: readonly string[], parts: ActionParts): Promise<void> {
  const known = names.length === 0 ? [] : await parts.permissionLists(names)
  const problems = names.flatMap((name, index) =>
    known.includes(name)
      ? []
      : [
          {
            path: `permissionLists[${index}]`,
            message: `is not a permission list of the configuration: ${shorten(name)}`,
          },
        ],
  )
  const [first] = names.filter((name) => !known.includes(name))
  if (first === undefined) return
  const near = suggest(first, known) || `. Available: ${known.join(', ')}.`
  throw new AdminProblem('invalid', `There is no permission list ${shorten(first)}${near}`, { problems })
}

/** An operator as the API returns it, without the password hash. */
export function describe({ id, description, isLocked, passwordHash, emails, certificates, permissionLists }: Operator) {
  return {
    id,
    description,
    isLocked,
    hasPassword: hasPassword({ passwordHash }),
    emails,
    certificates: certificates ?? [],
    permissionLists,
    ...(passwordHash === firstLoginMark && { firstLogin: true }),
  }
}
