/** Entries of the audit in words: what was done, and to what; the API names both for scripts (specification 18.30). */
import type { Schemas } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { type ListFacts, lists, withArticle } from '../../lists.ts'

export type Entry = Schemas['AuditEntry']

const own = {
  createSession: 'Signed in',
  deleteSession: 'Signed out',
  acceptInvitation: 'Became the first administrator',
  changeOwnPassword: 'Changed their own password',
  createAdministrator: 'Added an administrator',
  changeAdministrator: 'Changed an administrator',
  setAdministratorPassword: "Set an administrator's password",
  createToken: 'Made an API token',
  revokeToken: 'Revoked an API token',
  createOperator: 'Added an operator',
  changeOperator: 'Changed an operator',
  setOperatorPassword: "Set an operator's password",
  lockOperator: 'Locked an operator',
  unlockOperator: 'Unlocked an operator',
  grantPermissionList: 'Granted a permission list',
  revokePermissionList: 'Took a permission list away',
  createDraft: 'Began a draft',
  renameDraft: 'Renamed a draft',
  rebaseDraft: 'Put a draft on the revision in force',
  activateDraft: 'Activated a draft',
  deleteDraft: 'Threw a draft away',
  activateRevision: 'Put a revision in force',
  addDraftOAuth2ServiceAppFromMetadata: 'Registered an OAuth2 service app',
  tryCall: 'Tried a call',
  deleteOperationCache: 'Deleted what is cached of an operation',
  deleteCacheEntry: 'Deleted a cached response',
} satisfies { readonly [Name in keyof operations]?: string }

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
  ...own,
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
