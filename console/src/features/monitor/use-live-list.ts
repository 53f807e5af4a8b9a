/**
 * The list and its newer calls. They are counted and held until requested; an empty list shows them at once, and
 * so does Follow while the top of the page is in view, so the rows being read never move (specification 21.10).
 */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useParameter } from '../../router.tsx'
import { type NotKept, type Transaction, type TransactionFilter, unite, useNews, useTransactions } from './api.ts'

export interface LiveList {
  readonly query: {
    readonly data: { readonly items: readonly Transaction[]; readonly notKept: NotKept } | undefined
    readonly error: Error | null
    refetch(): Promise<unknown>
  }
  readonly newer: { readonly count: number; readonly isMore: boolean }
  readonly isFollowing: boolean
  /** The slowest: they do not move while they are read. */
  readonly isSlowestFirst: boolean
  readonly older: { readonly isThere: boolean; readonly isPending: boolean; fetch(): void }
  showNewer(): void
  follow(follows: boolean): void
}

/** Milliseconds. */
const askEvery = 3000
const followEvery = 1500
/** Pixels. */
const nearTop = 200

const nothing: NotKept = { done: 0, error: 0, reasons: [] }

export function useLiveList(filter: TransactionFilter): LiveList {
  const [live, setLive] = useParameter('live')
  const [sort] = useParameter('sort')
  const isSlowestFirst = sort === '-durationMs'
  const isFollowing = live === 'yes' && !isSlowestFirst
  const isAtTop = useSyncExternalStore(watchScrolling, () => scrollY < nearTop)
  const [reading, setReading] = useState(0)
  const list = useTransactions(filter, reading, isSlowestFirst)
  const first = list.isPlaceholderData ? undefined : list.data?.pages[0]
  const news = useNews(
    filter,
    reading,
    isSlowestFirst ? undefined : first?.latest,
    isFollowing ? followEvery : askEvery,
  )
  const { items: came, hasOverflowed, latest } = news.data ?? { items: [], hasOverflowed: false, latest: 0 }
  const [taken, setTaken] = useState({ list: -1, count: 0 })
  const count = taken.list === first?.latest ? taken.count : 0
  const waiting = came.length - count

  const showNewer = () => {
    if (hasOverflowed || isSlowestFirst) setReading((before) => before + 1)
    else if (first) setTaken({ list: first.latest, count: came.length })
  }
  const listed = list.data?.pages.flatMap(({ items }) => items)
  const isEmpty = listed?.length === 0 && count === 0 && !isSlowestFirst
  const takes = isEmpty || (isFollowing && isAtTop)
  useEffect(() => {
    if (takes && (waiting > 0 || hasOverflowed)) showNewer()
  }, [takes, waiting, hasOverflowed, latest])

  // Newest first: transactions already shown are at the end
  const items = listed && unite(came.slice(waiting).toSorted(byTime), listed)
  return {
    query: {
      data: items && { items, notKept: sumUp(list.data?.pages ?? []) },
      error: list.error ?? news.error,
      refetch: () => Promise.all([list.refetch(), news.refetch()]),
    },
    newer: { count: waiting, isMore: hasOverflowed },
    isFollowing,
    isSlowestFirst,
    older: {
      isThere: list.hasNextPage,
      isPending: list.isFetchingNextPage,
      fetch: () => void list.fetchNextPage(),
    },
    showNewer: () => {
      showNewer()
      scrollTo({ top: 0 })
    },
    follow(follows) {
      setLive(follows ? 'yes' : '')
      if (follows) scrollTo({ top: 0 })
    },
  }
}

function watchScrolling(listener: () => void): () => void {
  addEventListener('scroll', listener, { passive: true })
  return () => removeEventListener('scroll', listener)
}

function byTime(one: Transaction, other: Transaction): number {
  return one.time < other.time ? 1 : one.time > other.time ? -1 : 0
}

/** Takes the page that misses most, because pages of the same minute report the same gaps. */
function sumUp(pages: readonly { readonly notKept: NotKept }[]): NotKept {
  return pages
    .map(({ notKept }) => notKept)
    .reduce((max, each) => (each.done + each.error > max.done + max.error ? each : max), nothing)
}
