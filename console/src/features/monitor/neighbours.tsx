/** The previous and the next call of the list, as far as it is loaded. */
import { Button } from '@mantine/core'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useEffect } from 'react'
import { go } from '../../router.tsx'
import type { LiveList } from './use-live-list.ts'

/** Where they lead. */
export interface Neighbours {
  readonly previous: string | undefined
  readonly next: string | undefined
}

export function useNeighbours({ query: { data }, older }: LiveList, opened: string, search: string): Neighbours {
  const ids = data?.items.map(({ transactionId }) => transactionId) ?? []
  const at = ids.indexOf(opened)
  const isLast = at >= 0 && at === ids.length - 1
  const fetches = isLast && older.isThere && !older.isPending
  useEffect(() => {
    if (fetches) older.fetch()
  }, [fetches])
  const pathOf = (id: string | undefined) =>
    id === undefined ? undefined : `/calls/${encodeURIComponent(id)}${search}`
  return { previous: pathOf(ids[at - 1]), next: at < 0 ? undefined : pathOf(ids[at + 1]) }
}

export function NeighbourButtons({ previous, next }: Neighbours) {
  return (
    <Button.Group>
      <Neighbour to={previous} title="Previous call (k)" icon={ChevronUp} />
      <Neighbour to={next} title="Next call (j)" icon={ChevronDown} />
    </Button.Group>
  )
}

interface NeighbourProps {
  readonly to: string | undefined
  readonly title: string
  readonly icon: typeof ChevronUp
}

function Neighbour({ to, title, icon: Icon }: NeighbourProps) {
  return (
    <Button
      variant="default"
      px="xs"
      disabled={to === undefined}
      onClick={() => to !== undefined && go(to, { replaces: true })}
      title={title}
      aria-label={title}
    >
      <Icon size={18} aria-hidden />
    </Button>
  )
}
