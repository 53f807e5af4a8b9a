/** The current draft: edits go into it; the first edit creates one (specification 19.7). */
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { Problem } from './api/client.ts'
import { useCreateDraft, useDraft } from './api/drafts.ts'
import { useSession } from './api/session.ts'
import { writeMinute } from './parts/show-value.tsx'

interface CurrentDraft {
  /** Empty if there is none; pages then show the active configuration. */
  readonly draft: string
  readonly title: string | undefined
  choose(draft: string): void
  /** Creates a draft if there is none. */
  require(): Promise<string>
  /** Checks whether the draft still exists, and stops using it if not. */
  isGone(): Promise<boolean>
}

const Context = createContext<CurrentDraft>({
  draft: '',
  title: undefined,
  choose: () => {},
  require: async () => '',
  isGone: async () => false,
})
const place = 'draft'

export function CurrentDraftProvider({ children }: { readonly children: ReactNode }) {
  const [draft, setDraft] = useState(() => localStorage.getItem(place) ?? '')
  const { data, error, refetch } = useDraft(draft)
  const { data: session } = useSession()
  const create = useCreateDraft()
  const choose = (next: string) => {
    localStorage.setItem(place, next)
    setDraft(next)
  }
  useEffect(() => {
    const follow = ({ key, newValue }: StorageEvent) => key === place && setDraft(newValue ?? '')
    addEventListener('storage', follow)
    return () => removeEventListener('storage', follow)
  }, [])
  const isGone = isNotFound(error)
  useEffect(() => {
    if (isGone) choose('')
  }, [isGone])
  const requireDraft = async () => {
    const current = localStorage.getItem(place) ?? '' // another tab, or a save after this render, may have created it
    if (current !== '') return current
    const { id } = await create.mutateAsync(`Changes by ${session?.name}, ${writeMinute(new Date())}`)
    choose(id)
    return id
  }
  const value = {
    draft: isGone ? '' : draft,
    title: data?.value.title,
    choose,
    require: requireDraft,
    isGone: async () => draft !== '' && isNotFound((await refetch()).error),
  }
  return <Context value={value}>{children}</Context>
}

function isNotFound(error: Error | null): boolean {
  return error instanceof Problem && (error.code === 'notFound' || error.code === 'managedByFiles')
}

export function useCurrentDraft(): CurrentDraft {
  return useContext(Context)
}
