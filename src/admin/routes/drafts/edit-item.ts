/** An edit of a draft's item: only of what was seen, retried where only another item changed (specification 18.21). */

import { AdminProblem, notFound } from '../../../actions/problem-details.ts'
import { type ListKey, lists } from '../../../actions/schemas.ts'
import { idOf } from '../../../configuration/canonical.ts'
import type { DraftChange, DraftEdit } from '../../../store/administration/contract.ts'
import { checkItem, type DraftItem, etagOf, findItem, type OpenDraft, requireDraft, subjectOf } from '../../draft.ts'
import type { AdminParts } from '../../parts.ts'
import type { Input } from '../../route.ts'

export type EditInput = Pick<Input<unknown, unknown, unknown>, 'parts' | 'caller' | 'audited' | 'ifMatch'>
type Place = { readonly draft: string; readonly id: string }
type Value = Readonly<Record<string, unknown>>

export async function add(list: ListKey, input: EditInput, draftId: string, value: Value) {
  const { parts } = input
  const id = idOf(list, value)
  for (;;) {
    const opened = await requireDraft(draftId, parts)
    const before = await parts.store.administration.drafts.findEdit(draftId, list, id)
    const existing = findItem(opened, list, id, before)
    if (existing && existing.state !== 'removed')
      throw new AdminProblem('conflict', `The draft already has ${lists[list].title} ${id}.`)
    if (await tryStore(list, input, opened, { id, before, value: JSON.stringify(value) })) break // retry after a concurrent change
  }
  const made = await answer(list, await requireItem(list, id, await requireDraft(draftId, parts), parts))
  return { ...made, location: `/api/drafts/${draftId}/${lists[list].path}/${encodeURIComponent(id)}` }
}

export async function edit(list: ListKey, input: EditInput, place: Place, value: string | null) {
  const { opened, before, item } = await requireEditable(list, input, place)
  const isAdded = item.state === 'added'
  await store(list, input, opened, { id: place.id, before, value: value === null && isAdded ? undefined : value })
  if (value === null && isAdded)
    return answer(list, { ...item, state: 'removed', etag: etagOf(opened.draft, undefined) })
  return answer(list, await requireItem(list, place.id, await requireDraft(place.draft, input.parts), input.parts))
}

export async function requireEditable(list: ListKey, { parts, ifMatch }: EditInput, { draft, id }: Place) {
  const opened = await requireDraft(draft, parts)
  const before = await parts.store.administration.drafts.findEdit(draft, list, id)
  const item = findItem(opened, list, id, before)
  if (!item) throw notFound(`${lists[list].title} ${id} in the draft`)
  if (item.etag !== ifMatch) throw editedMeanwhile()
  return { opened, before, item }
}

interface ItemEdit {
  readonly id: string
  readonly before: DraftEdit | undefined
  readonly value: string | null | undefined
}

export async function store(list: ListKey, input: EditInput, opened: OpenDraft, storing: ItemEdit): Promise<void> {
  if (!(await tryStore(list, input, opened, storing))) throw editedMeanwhile()
}

/** @returns false if the draft was rebased or the item changed concurrently */
async function tryStore(list: ListKey, { parts, caller, audited }: EditInput, opened: OpenDraft, storing: ItemEdit) {
  const { draft, base } = opened
  const { id, before, value } = storing
  const was = findItem({ draft, base }, list, id, before)
  const { administration } = audited({
    subject: `${subjectOf(draft)} ${lists[list].title} ${id}`,
    ...(was && was.state !== 'removed' && { before: was.value }),
    ...(typeof value === 'string' && { after: JSON.parse(value) }),
  })
  const by: DraftChange = { by: caller.name, time: Math.floor(parts.now()) }
  return (await administration.drafts.edit(draft, { list, item: id, value }, before?.version ?? 0, by)) !== undefined
}

export async function requireItem(
  list: ListKey,
  id: string,
  opened: OpenDraft,
  { store }: AdminParts,
): Promise<DraftItem> {
  const found = findItem(opened, list, id, await store.administration.drafts.findEdit(opened.draft.id, list, id))
  if (found) return found
  throw notFound(`${lists[list].title} ${id} in the draft`)
}

function editedMeanwhile(): AdminProblem {
  return new AdminProblem(
    'preconditionFailed',
    'Someone else changed the item. Nothing was saved: read the item again.',
  )
}

export async function answer(list: ListKey, item: DraftItem) {
  return { body: describe(list, item), etag: item.etag }
}

export function describe(list: ListKey, item: DraftItem) {
  return { ...item, problems: item.state === 'removed' ? [] : [...checkItem(list, item.value)] }
}
