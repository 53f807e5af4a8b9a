/** Entries of the audit in words: what was done, and to what; the API names both for scripts (specification 18.30). */
import { routeActions } from '../../api/actions.ts'
import type { Schemas } from '../../api/client.ts'
import { type ListFacts, lists, withArticle } from '../../lists.ts'

export type Entry = Schemas['AuditEntry']

/** Of the command line, which are no operations of the API. */
const byCommand = {
  applyConfiguration: "Activated the project's files",
  restoreDatabase: 'Restored a backup of the database',
  inviteAdministrator: 'Made a link for the first administrator',
}

const edits = { add: 'Added', replace: 'Changed', remove: 'Removed', revert: 'Took back the change of' } as const

const kinds: readonly ListFacts[] = Object.values(lists)

/** By the name of the action. */
export const actionWords: Readonly<Record<string, string>> = {
  ...routeActions,
  ...byCommand,
  ...Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(edits).map(([edit, word]) => [
        `${edit}Draft${schemaOf(kind)}`,
        `${word} ${withArticle(kind.one)}`,
      ]),
    ),
  ),
}

/** As the list is called in the OpenAPI: `PermissionList`. */
function schemaOf({ one }: ListFacts): string {
  return one
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** `draft 6f1c… "Its title" Operation ECHO_GET.v1`: the title that the draft had, and the item. */
const ofDraft = /^draft \S+ ("(?:[^"\\]|\\.)*")(?: [A-Za-z0-9]+ (.+))?$/s

export interface Subject {
  readonly name: string
  /** The draft that it was edited in. */
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
