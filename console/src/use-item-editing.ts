/**
 * The state of an item being edited: loaded value, edited value, errors, and saving to the current draft (specification
 * 19.6, 19.7).
 */
import { useRef, useState } from 'react'
import { type FieldProblem, Problem } from './api/client.ts'
import { readDraftProblems, useDraftProblems, useDrift } from './api/drafts.ts'
import { type Item, readItem, useItem, useRemoveItem, useRevertItem, useSaveItem } from './api/items.ts'
import { useMay } from './api/session.ts'
import { useCurrentDraft } from './current-draft.tsx'
import { findMissing, type ListName, lists, pathOf, setField, type Value } from './lists.ts'
import { useToast } from './parts/toast.tsx'
import { go, useUnsaved } from './router.tsx'

export type ItemEditing = ReturnType<typeof useItemEditing>

/** What is saved together with an item. */
export interface Alongside {
  readonly isEdited: boolean
  /** What the item names is saved before it. @returns the item, naming it */
  prepare(draft: string, value: Value): Promise<Value>
  /** What names the item is saved after it. */
  complete(draft: string, saved: Item): Promise<void>
}

export interface SaveOptions {
  readonly alongside?: Alongside | undefined
  /** Continues with the changes of the draft, unless the item has errors. */
  readonly isReviewed?: boolean
}

/** @param id empty for a new item, which starts as `start` */
export function useItemEditing(list: ListName, id: string, start: Value = lists[list].start) {
  const { draft, require, isGone } = useCurrentDraft()
  const query = useItem(list, draft, id)
  const drift = useDrift()
  const mayChange = useMay('administrator')
  const validation = useDraftProblems(draft)
  const [edited, setEdited] = useState<EditedItem>()
  const latest = useRef(edited)
  latest.current = edited
  const [error, setError] = useState<Error | null>(null)
  const [theirs, setTheirs] = useState<Item>()
  const [save, remove, revert] = [useSaveItem(), useRemoveItem(), useRevertItem()]
  const toast = useToast()
  useUnsaved(edited !== undefined)

  const isNew = id === ''
  const value = edited?.value ?? query.data?.value ?? start
  const whyReadOnly =
    drift.data?.managedBy === 'files'
      ? 'Managed by files. Change it in gateway.config.ts, or start with --revisions to edit it here.'
      : !mayChange
        ? 'Read-only. Only administrators can change the configuration.'
        : query.data?.state === 'removed'
          ? 'The draft removes this item. Revert the removal to edit it.'
          : undefined
  const problems: readonly FieldProblem[] = [
    ...(error instanceof Problem ? error.problems : []),
    ...(validation.data?.problems ?? [])
      .filter((problem) => problem.list === list && problem.item === id)
      .map(({ field = '', message }) => ({ path: field, message }))
      .filter(({ path }) => !isChanged(path, query.data?.value, edited?.value)),
  ]

  const attempt = async (work: () => Promise<void>, mine?: Item) => {
    setError(null)
    try {
      await work()
    } catch (failure) {
      const code = failure instanceof Problem ? failure.code : undefined
      if (code === 'notFound' && (await isGone())) return setError(new Problem(draftGone))
      if (code === 'notFound' && edited?.seen) {
        setEdited((now) => now && { ...now, seen: undefined })
        return setError(new Problem(itemGone))
      }
      if (code !== 'preconditionFailed' || !mine) return setError(failure as Error)
      setTheirs(await readItem(list, await require(), mine.id))
    }
  }
  return {
    id,
    isNew,
    query,
    value,
    state: query.data?.state ?? 'unchanged',
    isEdited: edited !== undefined,
    isPending: save.isPending || remove.isPending || revert.isPending,
    isInDraft: draft !== '',
    whyReadOnly,
    problems,
    error,
    mine: edited?.value,
    theirs,
    change(path: string, to: unknown) {
      setError((before) => withoutField(before, path))
      setEdited((before) => ({
        ...(before ?? { seen: query.data, draft }),
        value: setField(before?.value ?? value, path, to),
      }))
    },
    discard() {
      setEdited(undefined)
      setError(null)
      setTheirs(undefined)
      void query.refetch()
    },
    keepMine() {
      if (theirs) setEdited({ seen: theirs, draft, value })
      setTheirs(undefined)
    },
    save: ({ alongside, isReviewed = false }: SaveOptions = {}) =>
      attempt(async () => {
        const missing = isNew ? findMissing(list, value) : []
        if (missing.length > 0) throw new Problem({ ...incomplete, problems: missing })
        const into = await require()
        const sent = (await alongside?.prepare(into, value)) ?? value
        const seen = edited ? seenIn(into, edited) : query.data
        const isSame = edited === undefined && !isNew && sent === value
        const saved = isSame && seen ? seen : await save.mutateAsync({ list, draft: into, seen, value: sent })
        if (latest.current !== edited && latest.current) {
          setEdited({ seen: saved, draft: into, value: latest.current.value })
          return toast(`${saved.id} saved to the draft, except changes made while saving.`)
        }
        setEdited(undefined)
        const failure = await alongside?.complete(into, saved).catch((reason: Error) => reason)
        if (failure) toast(`${saved.id} saved to the draft, but not its permission lists: ${failure.message}`)
        const hasErrors = await hasProblems(list, into, saved.id)
        if (!failure) toast(`${saved.id} saved to the draft${hasErrors ? ', with errors' : ''}.`)
        if (isReviewed && !failure && !hasErrors) go(`/drafts/${encodeURIComponent(into)}`, { isSaved: true })
        else if (isNew) go(pathOf(list, saved.id), { replaces: true, isSaved: true })
      }, edited?.seen),
    remove: () =>
      attempt(async () => {
        const seen = query.data
        if (!seen) return
        await remove.mutateAsync({ list, draft: await require(), seen })
        setEdited(undefined)
        toast(`${id} removed in the draft.`)
        if (seen.state === 'added') go(pathOf(list), { isSaved: true })
      }, query.data),
    revert: () =>
      attempt(async () => {
        const seen = query.data
        if (!seen) return
        await revert.mutateAsync({ list, draft, seen })
        setEdited(undefined)
        toast(`Changes to ${id} reverted.`)
        if (seen.state === 'added') go(pathOf(list), { isSaved: true })
      }, query.data),
  }
}

/** The errors of a draft are those of what was saved. */
function isChanged(path: string, saved: Value | undefined, edited: Value | undefined): boolean {
  const [key = ''] = path.split(/[.[]/)
  return edited !== undefined && JSON.stringify(saved?.[key]) !== JSON.stringify(edited[key])
}

async function hasProblems(list: ListName, draft: string, id: string): Promise<boolean> {
  const { problems } = await readDraftProblems(draft)
  return problems.some((problem) => problem.list === list && problem.item === id)
}

/** A field that was changed since has no known error, and without errors of fields nothing is left to say. */
function withoutField(error: Error | null, path: string): Error | null {
  if (!(error instanceof Problem) || error.problems.length === 0) return error
  const problems = error.problems.filter((each) => each.path !== path && !/^[.[]/.test(each.path.replace(path, '')))
  const { code, title, message: detail, requestId = '' } = error
  return problems.length === 0 ? null : new Problem({ code, title, detail, problems, requestId })
}

interface EditedItem {
  readonly seen: Item | undefined
  /** The draft it was loaded from: its ETag is valid only there, and another tab may have switched drafts. */
  readonly draft: string
  readonly value: Value
}

function seenIn(draft: string, edited: EditedItem): Item | undefined {
  return edited.seen && edited.draft !== draft ? { ...edited.seen, etag: undefined } : edited.seen
}

const incomplete = { code: 'invalid', title: 'Not saved', detail: 'Fill in the required fields.' } as const
const draftGone = {
  code: 'notFound',
  title: 'The draft no longer exists',
  detail: 'It was activated or discarded. Your input is kept. Save again to create a new draft.',
} as const
const itemGone = {
  code: 'notFound',
  title: 'The item was removed',
  detail: 'Your input is kept. Save again to add it as a new item.',
} as const
