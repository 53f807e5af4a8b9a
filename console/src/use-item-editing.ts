/**
 * An item while it is edited: what was seen, what it is to be, what is wrong with it, and how it is saved into the draft
 * at work (specification 19.6, 19.7).
 */
import { useRef, useState } from 'react'
import { type FieldProblem, Problem } from './api/client.ts'
import { useDraftProblems, useDrift } from './api/drafts.ts'
import { type Item, readItem, useItem, useRemoveItem, useRevertItem, useSaveItem } from './api/items.ts'
import { useMay } from './api/session.ts'
import { useCurrentDraft } from './current-draft.tsx'
import { type ListName, lists, pathOf, setField, type Value } from './lists.ts'
import { useSay } from './parts/say.tsx'
import { go, useUnsaved } from './router.tsx'

export type ItemEditing = ReturnType<typeof useItemEditing>

/** @param id empty: a new one, which begins as `start` */
export function useItemEditing(list: ListName, id: string, start: Value = lists[list].start) {
  const { draft, require, isGone } = useCurrentDraft()
  const query = useItem(list, draft, id)
  const drift = useDrift()
  const mayChange = useMay('administrator')
  const validation = useDraftProblems(draft)
  const [edited, setEdited] = useState<Edited>()
  const latest = useRef(edited)
  latest.current = edited
  const [error, setError] = useState<Error | null>(null)
  const [theirs, setTheirs] = useState<Item>()
  const [save, remove, revert] = [useSaveItem(), useRemoveItem(), useRevertItem()]
  const say = useSay()
  useUnsaved(edited !== undefined)

  const isNew = id === ''
  const value = edited?.value ?? query.data?.value ?? start
  const whyReadOnly =
    drift.data?.managedBy === 'files'
      ? 'Managed by files: it is changed in gateway.config.ts, not here.'
      : !mayChange
        ? 'Your role reads this. An administrator changes it.'
        : query.data?.state === 'removed'
          ? 'The draft removes it. Take that back to edit it.'
          : undefined
  const problems: readonly FieldProblem[] = [
    ...(error instanceof Problem ? error.problems : []),
    ...(validation.data?.problems ?? [])
      .filter((problem) => problem.list === list && problem.item === id)
      .map(({ field = '', message }) => ({ path: field, message })),
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
    save: () =>
      attempt(async () => {
        const into = await require()
        const seen = edited ? seenIn(into, edited) : query.data
        const saved = await save.mutateAsync({ list, draft: into, seen, value })
        if (latest.current !== edited && latest.current) {
          setEdited({ seen: saved, draft: into, value: latest.current.value })
          return say(`${saved.id} is in the draft, without what you changed while it was saved.`)
        }
        setEdited(undefined)
        say(`${saved.id} is in the draft.`)
        if (isNew) go(pathOf(list, saved.id), { replaces: true, isSaved: true })
      }, edited?.seen),
    remove: () =>
      attempt(async () => {
        const seen = query.data
        if (!seen) return
        await remove.mutateAsync({ list, draft: await require(), seen })
        setEdited(undefined)
        say(`${id} is removed in the draft.`)
        if (seen.state === 'added') go(pathOf(list), { isSaved: true })
      }, query.data),
    revert: () =>
      attempt(async () => {
        const seen = query.data
        if (!seen) return
        await revert.mutateAsync({ list, draft, seen })
        setEdited(undefined)
        say(`What the draft did to ${id} is taken back.`)
        if (seen.state === 'added') go(pathOf(list), { isSaved: true })
      }, query.data),
  }
}

interface Edited {
  readonly seen: Item | undefined
  /** Where it was seen: an ETag of one draft says nothing of another, which a second tab may have chosen meanwhile. */
  readonly draft: string
  readonly value: Value
}

function seenIn(draft: string, edited: Edited): Item | undefined {
  return edited.seen && edited.draft !== draft ? { ...edited.seen, etag: undefined } : edited.seen
}

const draftGone = {
  code: 'notFound',
  title: 'The draft is gone',
  detail:
    'Someone activated it or threw it away meanwhile. What you entered is still here: save again, into a new draft.',
} as const
const itemGone = {
  code: 'notFound',
  title: 'Someone removed it meanwhile',
  detail: 'What you entered is still here: save again, and it is added anew.',
} as const
