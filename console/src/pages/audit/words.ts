/** Labels for the actions and subjects of audit entries; the API has their names for scripts (specification 18.30). */
import { routeActions } from '../../api/actions.ts'
import type { Schemas } from '../../api/client.ts'

export type Entry = Schemas['ListedAuditEntry']

/** Label by name of the action. */
export const actionWords: Readonly<Record<string, string>> = {
  ...routeActions,
  restoreDatabase: 'Restored a backup of the database',
  rotateSecretKey: 'Encrypted the secrets with another key',
  refuseProviderSignIn: 'Was refused after signing in with the identity provider',
}

/** `draft 6f1c… "Its title" Operation ECHO_GET.v1`: the title at that time, and the item. */
const ofDraft = /^draft \S+ ("(?:[^"\\]|\\.)*")(?: [A-Za-z0-9]+ (.+))?$/s

export interface Subject {
  readonly name: string
  /** The draft that contains the edit. */
  readonly draft?: string
}

export function describeSubject({ subject, before, after }: Entry): Subject {
  const [, quoted, item] = ofDraft.exec(subject) ?? []
  if (quoted === undefined) return { name: findText(after, 'name') ?? findText(before, 'name') ?? subject }
  const title = JSON.parse(quoted) as string
  return item === undefined ? { name: findText(after, 'title') ?? title } : { name: item, draft: title }
}

function findText(value: unknown, key: string): string | undefined {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
  return typeof found === 'string' ? found : undefined
}
