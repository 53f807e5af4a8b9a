/** The draft at work: what is edited goes into it; the first edit begins one (specification 19.7). */
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { Problem } from './api/client.ts'
import { useCreateDraft, useDraft } from './api/drafts.ts'
import { useSession } from './api/session.ts'
import { writeMinute } from './parts/show-value.tsx'

interface CurrentDraft {
  /** Empty: none, and pages show what is in force. */
  readonly draft: string
  readonly title: string | undefined
  choose(draft: string): void
  /** Begins one where there is none. */
  require(): Promise<string>
  /** Looks whether it is still there; where it is not, there is none from now on. */
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
  const isGone = tellsGone(error)
  useEffect(() => {
    if (isGone) choose('')
  }, [isGone])
  const begin = async () => {
    const begun = localStorage.getItem(place) ?? '' // also by a save that this render does not know of yet, or in another tab
    if (begun !== '') return begun
    const { id } = await create.mutateAsync(`Changes of ${session?.name}, ${writeMinute(new Date())}`)
    choose(id)
    return id
  }
  const value = {
    draft: isGone ? '' : draft,
    title: data?.value.title,
    choose,
    require: begin,
    isGone: async () => draft !== '' && tellsGone((await refetch()).error),
  }
  return <Context value={value}>{children}</Context>
}

function tellsGone(error: Error | null): boolean {
  return error instanceof Problem && (error.code === 'notFound' || error.code === 'managedByFiles')
}

export function useCurrentDraft(): CurrentDraft {
  return useContext(Context)
}
