/**
 * The configuration of a draft (specification 18.20 to 18.25): its base revision, with the items that it adds, replaces
 * and removes. An item keeps its original id in the draft.
 */

import type { ActionParts } from '../actions/action.ts'
import { AdminProblem, notFound } from '../actions/problem-details.ts'
import { type ListKey, listNames } from '../actions/schemas.ts'
import { idOf } from '../configuration/canonical.ts'
import { type Configuration, itemSchemas } from '../configuration/configuration.ts'
import { parseSteps } from '../configuration/parse-configuration.ts'
import { readIssues } from '../configuration/schema.ts'
import type { Problem } from '../model/problem.ts'
import { checkServable, readRevision } from '../project/activate-revision.ts'
import type { Draft, DraftEdit } from '../store/administration/contract.ts'
import { inTurn } from './in-turn.ts'
import type { AdminParts } from './parts.ts'

export type ItemState = 'unchanged' | 'added' | 'changed' | 'removed'

export interface DraftItem {
  readonly id: string
  readonly state: ItemState
  /** The value in the draft, or the value in the base if removed. */
  readonly value: Readonly<Record<string, unknown>>
  readonly etag: string
}

export interface OpenDraft {
  readonly draft: Draft
  readonly base: Configuration
}

/** @throws AdminProblem `managedByFiles` */
export function requireManaged<Revisions>({ revisions }: { readonly revisions?: Revisions }): NonNullable<Revisions> {
  if (revisions) return revisions
  throw new AdminProblem(
    'managedByFiles',
    'This gateway serves the project files (ig dev). Change gateway.config.ts; drafts and activations require ig start, or ig dev --revisions.',
  )
}

export async function requireDraft(id: string, parts: AdminParts): Promise<OpenDraft> {
  requireManaged(parts)
  const draft = await parts.store.administration.drafts.find(id)
  if (!draft) throw notFound(`draft ${id}`)
  return { draft, base: await requireRevisionConfiguration(draft.base, parts) }
}

/** Revisions are immutable, so the last few are cached. */
const readLately = new WeakMap<object, Map<number, Promise<Configuration>>>()
const keep = 3

export async function requireRevisionConfiguration(
  number: number,
  { store, catalog }: Pick<ActionParts, 'store'> & Partial<Pick<AdminParts, 'catalog'>>,
): Promise<Configuration> {
  const served = catalog?.()
  if (served?.revision === number) return served.configuration
  const lately = readLately.get(store) ?? new Map<number, Promise<Configuration>>()
  readLately.set(store, lately)
  const known = lately.get(number)
  if (known) return known
  const found = await store.revisions.find(number)
  if (!found) {
    const [newest] = await store.revisions.list()
    throw new AdminProblem(
      'notFound',
      `There is no revision ${number}.${newest ? ` The newest is ${newest.number}.` : ''}`,
    )
  }
  const reading = readRevision(found)
  lately.set(number, reading)
  reading.catch(() => lately.delete(number))
  for (const oldest of [...lately.keys()].slice(0, -keep)) lately.delete(oldest)
  return reading
}

/** The ETag of an item. Contains the draft, so that it is not valid in another one. */
export function etagOf({ id, base }: Pick<Draft, 'id' | 'base'>, edit: Pick<DraftEdit, 'version'> | undefined): string {
  return `${id}.${base}.${edit?.version ?? 0}`
}

/** The subject in the audit log: the id to find the draft, the title for readers. */
export function subjectOf({ id, title }: Pick<Draft, 'id' | 'title'>): string {
  return `draft ${id} ${JSON.stringify(title)}`
}

export function etagOfDraft({ id, base, version }: Draft): string {
  return `${id}.${base}.draft-${version}`
}

/** Lists the items in the order of the base; added ones are last. */
export function listItems(
  { draft, base }: OpenDraft,
  list: ListKey,
  edits: readonly DraftEdit[],
): readonly DraftItem[] {
  const byId = new Map(edits.filter((edit) => edit.list === list).map((edit) => [edit.item, edit]))
  const kept = base[list].map((item): DraftItem => {
    const id = idOf(list, item)
    const edit = byId.get(id)
    byId.delete(id)
    return toItem(draft, id, item, edit)
  })
  return [...kept, ...[...byId].map(([id, edit]) => toItem(draft, id, undefined, edit))]
}

export function findItem({ draft, base }: OpenDraft, list: ListKey, id: string, edit: DraftEdit | undefined) {
  const item = base[list].find((candidate) => idOf(list, candidate) === id)
  if (!item && (!edit || edit.value === null)) return undefined
  return toItem(draft, id, item, edit)
}

function toItem(draft: Draft, id: string, item: object | undefined, edit: DraftEdit | undefined): DraftItem {
  const etag = etagOf(draft, edit)
  if (!edit) return { id, state: 'unchanged', value: item as DraftItem['value'], etag }
  if (edit.value === null) return { id, state: 'removed', value: (item ?? {}) as DraftItem['value'], etag }
  return { id, state: item ? 'changed' : 'added', value: JSON.parse(edit.value), etag }
}

/** Errors of one item alone. References to others are checked by validating the whole draft. */
export function checkItem(list: ListKey, value: unknown): readonly Problem[] {
  const { error } = itemSchemas[list].safeParse(value)
  return error ? readIssues(error.issues, value) : []
}

export interface ItemProblem extends Problem {
  /** The item of the error, if any. */
  readonly list?: ListKey
  readonly item?: string
  /** The path within the item. */
  readonly field?: string
}

export type Validation = { readonly configuration: Configuration } | { readonly problems: readonly ItemProblem[] }

/** All errors of a draft with their places, including those of serving it here. */
export async function validateDraft(opened: OpenDraft, parts: AdminParts): Promise<Validation> {
  const revisions = requireManaged(parts)
  const edits = await parts.store.administration.drafts.edits(opened.draft.id)
  const of = (list: ListKey) => listItems(opened, list, edits).filter(({ state }) => state !== 'removed')
  const items = new Map(listNames.map((list) => [list, of(list)]))
  const { databaseValues } = opened.base
  const lists = Object.fromEntries([...items].map(([list, all]) => [list, all.map(({ value }) => value)]))
  const input = { ...(databaseValues && { databaseValues }), ...lists }
  const parsed = await inTurn(parseSteps(input))
  if ('problems' in parsed) return { problems: parsed.problems.map((problem) => locate(problem, items)) }
  const problems = await checkServable(parsed.configuration, parts.catalog().configuration, {
    ...revisions,
    settings: parts.settings,
  })
  return problems.length > 0 ? { problems: problems.map((problem) => locate(problem, items)) } : parsed
}

function locate(problem: Problem, items: ReadonlyMap<ListKey, readonly DraftItem[]>): ItemProblem {
  const [, list, index, field = ''] = /^(\w+)\[(\d+)\]\.?(.*)$/.exec(problem.path) ?? []
  const item = items.get(list as ListKey)?.[Number(index)]
  return item ? { ...problem, list: list as ListKey, item: item.id, field } : problem
}
