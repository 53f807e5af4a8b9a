/** The monitor: transactions, the newest first, what came since, and one with its messages (specification 22.5 to 22.9). */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, Problem, read, type Schemas } from './client.ts'
import type { paths } from './schema.d.ts'
import { useMay } from './session.ts'

export type Transaction = Schemas['MonitoredTransaction']
export type TransactionDetail = Schemas['MonitoredTransactionDetail']
export type Message = Schemas['MonitoredMessages']['request']
export type NotKept = Schemas['NotKept']
export type RefusalCode = NonNullable<Transaction['refusal']>

type ListQuery = NonNullable<paths['/api/monitor/transactions']['get']['parameters']['query']>
/** What transactions are looked for: all of it must hold. */
export type TransactionFilter = Omit<ListQuery, 'before' | 'limit'>

const key = 'monitor'

/** Whether it is on, what it keeps, how far it reaches back. */
export function useMonitor() {
  return useQuery({
    queryKey: [key, 'extent'],
    queryFn: () => read(api.GET('/api/monitor')),
    refetchInterval: 10_000,
  })
}

/** @param reading a list of another number is read anew, from the newest on */
export function useTransactions(filter: TransactionFilter, reading: number, isEnabled: boolean) {
  return useInfiniteQuery({
    queryKey: [key, 'list', filter, reading],
    enabled: isEnabled,
    queryFn: ({ pageParam }) => {
      const query = { ...filter, ...(pageParam !== '' && { before: pageParam }) }
      return read(api.GET('/api/monitor/transactions', { params: { query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY, // what is newer comes by the tail, and nothing else moves
    gcTime: 0, // who comes back to the page begins with the newest
  })
}

export interface News {
  readonly items: readonly Transaction[]
  readonly latest: number
  /** More came than are held: only reading the list anew shows all. */
  readonly isOverflown: boolean
}

/** Held beside a list; whoever wants more reads it anew. */
const heldNews = 300

/**
 * What was stored since the list was read, the newest first. Every answer is added to those before it; the next one is asked
 * for from where this one ended.
 * @param after `latest` of the list; undefined while there is none
 */
export function useNews(filter: TransactionFilter, reading: number, after: number | undefined, everyMs: number) {
  const client = useQueryClient()
  const queryKey = [key, 'news', filter, reading, after]
  return useQuery({
    queryKey,
    enabled: after !== undefined,
    async queryFn(): Promise<News> {
      const before = client.getQueryData<News>(queryKey) ?? { items: [], latest: after ?? 0, isOverflown: false }
      if (before.isOverflown) return before
      const query = { ...filter, after: before.latest, limit: 100 }
      const { items, latest, isComplete } = await read(api.GET('/api/monitor/tail', { params: { query } }))
      const added = unite(items, before.items)
      return { items: added.slice(0, heldNews), latest, isOverflown: !isComplete || added.length > heldNews }
    },
    refetchInterval: everyMs,
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  })
}

/** One may come twice: in the list, and by the tail. */
export function unite(newer: readonly Transaction[], older: readonly Transaction[]): readonly Transaction[] {
  const known = new Set(newer.map(({ transactionId }) => transactionId))
  return [...newer, ...older.filter(({ transactionId }) => !known.has(transactionId))]
}

/** A call is stored about a second after its end: whoever comes from its reply is there earlier, and waits a little. */
const patience = 4

export function useTransaction(transactionId: string) {
  return useQuery({
    queryKey: [key, 'one', transactionId],
    queryFn: () => read(api.GET('/api/monitor/transactions/{transactionId}', { params: { path: { transactionId } } })),
    retry: (count, error) => count < patience && error instanceof Problem && error.code === 'notFound',
    retryDelay: 600,
    staleTime: Number.POSITIVE_INFINITY, // it is over
  })
}

/** For operators and administrators; nobody else asks. */
export function useMessages(transactionId: string, hasMessages: boolean) {
  const mayRead = useMay('operator')
  return useQuery({
    queryKey: [key, 'messages', transactionId],
    enabled: hasMessages && mayRead,
    queryFn: () =>
      read(api.GET('/api/monitor/transactions/{transactionId}/messages', { params: { path: { transactionId } } })),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
