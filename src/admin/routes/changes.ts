/** The timeline of changes: the entries of the audit that change what is served, as sentences (specification 18.43). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { change, name, paging, time, toTime } from '../../actions/schemas.ts'
import type { ListName } from '../../configuration/canonical.ts'
import type { Change } from '../../configuration/diff-configurations.ts'
import { countItems } from '../../configuration/list-nouns.ts'
import { firstRevisionNote } from '../../project/activate-revision.ts'
import type { AuditEntry } from '../../store/administration/contract.ts'
import type { RevisionStore } from '../../store/revision-store.ts'
import { toSeconds } from './revisions.ts'

const kinds = ['revision', 'rollback', 'draft', 'caller'] as const
type Kind = (typeof kinds)[number]

interface TimelineRow {
  readonly kind: Kind
  title(entry: AuditEntry, facts: Facts): string
}

/** What entries of these actions have as `before` and `after`. */
interface Facts {
  readonly revision?: number
  readonly note?: string
  readonly draft?: string
  readonly title?: string
  readonly changes?: readonly Change[]
  readonly changesInAll?: number
  readonly permissionLists?: readonly string[]
}

const ofOperator = (title: (id: string) => string): TimelineRow => ({
  kind: 'caller',
  title: ({ subject }) => title(subject),
})
const ofDraft = (title: (draft: string) => string): TimelineRow => ({
  kind: 'draft',
  title: ({ subject }) => title(subject.replace(/^draft \S+ /, 'the draft ')),
})
const newRevision: TimelineRow = { kind: 'revision', title: ({ subject }) => `Activated ${subject}` }

/** By operationId: what else the audit has changes nothing that is served. */
const timeline: Readonly<Record<string, TimelineRow>> = {
  applyConfiguration: newRevision,
  activateDraft: newRevision,
  activateRevision: {
    kind: 'rollback',
    title: ({ subject, before }, { revision = 0 }) =>
      revision < (factsOf(before).revision ?? 0) ? `Rolled back to ${subject}` : `Activated ${subject} again`,
  },
  createDraft: ofDraft((draft) => `Created ${draft}`),
  renameDraft: {
    kind: 'draft',
    title: ({ before }, { title }) =>
      `Renamed the draft ${JSON.stringify(factsOf(before).title)} to ${JSON.stringify(title)}`,
  },
  rebaseDraft: ofDraft((draft) => `Rebased ${draft}`),
  deleteDraft: ofDraft((draft) => `Discarded ${draft}`),
  createOperator: ofOperator((id) => `Added ${id}`),
  changeOperator: ofOperator((id) => `Changed ${id}`),
  deleteOperator: ofOperator((id) => `Deleted ${id}`),
  setOperatorPassword: ofOperator((id) => `Set the password of ${id}`),
  lockOperator: ofOperator((id) => `Locked ${id}`),
  unlockOperator: ofOperator((id) => `Unlocked ${id}`),
  grantPermissionList: { kind: 'caller', title: (entry) => `Granted ${differOf(entry)} to ${entry.subject}` },
  revokePermissionList: { kind: 'caller', title: (entry) => `Revoked ${differOf(entry)} from ${entry.subject}` },
  importOperators: ofOperator((operators) => `Imported ${operators === '1 operators' ? 'an operator' : operators}`),
  setHolders: ofOperator((list) => `Set the holders of ${list}`),
}

/** Their subject is no operator. */
const ofMany: ReadonlySet<string> = new Set(['importOperators', 'setHolders'])

const item = name(
  'TimelineChange',
  z.object({
    sequence: z.int().describe('That of the audit entry; 0 for the revision that the first start made'),
    time,
    kind: z.enum(kinds).describe('rollback: an earlier revision was activated again; caller: operators'),
    title: z.string().describe('Locked DEMO2'),
    who: z.string().nullable(),
    note: z.string().nullable().describe('That of the activation'),
    revision: z.int().nullable().describe('The revision that was activated'),
    draft: z.string().nullable().describe('Its id; an activated draft is deleted'),
    operator: z.string().nullable(),
    difference: z.string().nullable().describe('What an activation changed: 2 operations changed, 1 added'),
    operations: z
      .array(z.string())
      .describe('Ids of operations that an activation changed, among its first 100 differences'),
    change: change.optional().describe('That of the operation in the query'),
  }),
  'A change of what is served',
)

export const changeRoutes = [
  action({
    operationId: 'listChanges',
    tag: 'Changes',
    summary: 'List changes of configuration and operators, newest first',
    description:
      'Activations, drafts and changes of operators, by anyone: a reading of the audit, without the edits of drafts. To get the next page, send the last sequence as before.',
    method: 'GET',
    path: '/api/changes',
    access: 'viewer',
    commandLine: {
      verb: 'change list',
      columns: {
        TIME: ({ time }) => toSeconds(time),
        WHO: 'who',
        CHANGE: 'title',
        DIFFERENCE: 'difference',
        NOTE: 'note',
      },
      empty: 'There are no such changes.',
      next: ({ sequence }) => ({ before: sequence }),
    },
    query: z.object({
      kind: z.enum(kinds).optional().describe('Only changes of this kind'),
      operation: z
        .string()
        .max(200)
        .optional()
        .describe('Only activations with this operation among their first 100 differences: HIRE_GET.v1'),
      who: z.string().optional().describe('Name of the administrator, or of the user of ig'),
      from: time.optional().describe('Only changes from this time on: 2026-01-31T08:00:00Z'),
      to: time.optional().describe('Only changes before this time'),
      before: z.coerce.number().int().min(0).optional().describe('Only changes before this sequence'),
      limit: paging.shape.limit,
    }),
    answer: z.object({ items: z.array(item) }),
    async handle({ parts: { store }, query: { kind, operation, who, from, to, before, limit } }) {
      const span = { from: from === undefined ? 0 : Date.parse(from), to: to === undefined ? Infinity : Date.parse(to) }
      const entries = await store.administration.audit.list({
        actions: Object.keys(timeline).filter((action) => kind === undefined || timeline[action]?.kind === kind),
        limit,
        ...(operation !== undefined && { afterHas: JSON.stringify(placeOf(operation)).slice(1, -1) }),
        ...(who !== undefined && { actor: who }),
        ...(before !== undefined && { before }),
        ...(from !== undefined && { from: span.from }),
        ...(to !== undefined && { to: span.to }),
      })
      const items = entries.map((entry) => describe(entry, operation))
      const isLast =
        operation === undefined && items.length < limit && before !== 0 && (kind ?? 'revision') === 'revision'
      const first = isLast ? await findFirst(store.revisions) : undefined
      const isAsked = first && first.time >= span.from && first.time < span.to && (who ?? first.author) === first.author
      return { body: { items: isAsked ? [...items, describeFirst(first)] : items } }
    },
  }),
]

type Item = z.output<typeof item>

const placeOf = (operation: string) => ({ list: 'operations', id: operation })

function describe(entry: AuditEntry, operation?: string): Item {
  const { sequence, time, actor, action, subject, after } = entry
  const { kind = 'draft', title } = timeline[action] ?? {}
  const facts = factsOf(after)
  const isActivation = kind === 'revision' || kind === 'rollback'
  const { changes = [], changesInAll } = isActivation ? facts : {}
  const ofOperations = changes.filter(({ list }) => list === 'operations')
  const own = ofOperations.find(({ id }) => id === operation)
  return {
    sequence,
    time: toTime(time),
    kind,
    title: title?.(entry, facts) ?? action,
    who: actor,
    note: facts.note || null,
    revision: isActivation ? (facts.revision ?? null) : null,
    draft: facts.draft ?? /^draft (\S+)/.exec(subject)?.[1] ?? null,
    operator: kind === 'caller' && !ofMany.has(action) ? subject : null,
    difference: changes.length > 0 ? describeDifference(changes, changesInAll) : null,
    operations: ofOperations.map(({ id }) => id),
    ...(own && { change: { ...own, fields: [...own.fields] } }),
  }
}

/** `2 operations changed, 1 added; 1 service removed` */
function describeDifference(changes: readonly Change[], inAll = changes.length): string {
  if (inAll > changes.length) return `${inAll} differences`
  const lists = Map.groupBy(changes, ({ list }) => list)
  return [...lists].map(([list, ofList]) => describeList(list, ofList)).join('; ')
}

function describeList(list: ListName, changes: readonly Change[]): string {
  const counts = (['changed', 'added', 'removed'] as const)
    .map((kind) => ({ kind, count: changes.filter((change) => change.kind === kind).length }))
    .filter(({ count }) => count > 0)
  return counts.map(({ kind, count }, at) => `${at === 0 ? countItems(count, list) : count} ${kind}`).join(', ')
}

function differOf({ before, after }: AuditEntry): string {
  const [had, has] = [before, after].map((value) => factsOf(value).permissionLists ?? [])
  const differ = [...(had ?? []), ...(has ?? [])].filter((list) => !(had?.includes(list) && has?.includes(list)))
  return differ.join(', ') || 'a permission list'
}

function factsOf(value: unknown): Facts {
  return typeof value === 'object' && value !== null ? value : {}
}

/** No one acts in the first start of a gateway, so the audit has no entry of its revision. */
async function findFirst(revisions: RevisionStore) {
  const first = (await revisions.list()).at(-1)
  return first?.note === firstRevisionNote ? { ...first, time: first.created } : undefined
}

function describeFirst({ number, time, note, author }: NonNullable<Awaited<ReturnType<typeof findFirst>>>): Item {
  return {
    sequence: 0,
    time: toTime(time),
    kind: 'revision',
    title: `Activated revision ${number}`,
    who: author,
    note,
    revision: number,
    draft: null,
    operator: null,
    difference: null,
    operations: [],
  }
}
