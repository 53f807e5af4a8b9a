/** The monitor: transactions, newest first, newer ones, and one with its messages (specification 21.8, 21.10, 21.11, 21.3). */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, Problem, read, type Schemas } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { useMay } from '../../api/session.ts'
import { sinceOf } from './since.ts'

export type Transaction = Schemas['MonitoredTransaction']
export type TransactionDetail = Schemas['MonitoredTransactionDetail']
export type Message = Schemas['MonitoredMessages']['request']
export type NotKept = Schemas['NotKept']
export type RefusalCode = NonNullable<Transaction['refusal']>

type ListQuery = NonNullable<paths['/api/monitor/transactions']['get']['parameters']['query']>
/** Filters of the list; all of them must match. */
export type TransactionFilter = Omit<ListQuery, 'before' | 'limit' | 'sort'>

const key = 'monitor'

/** Whether the monitor is on, what it keeps and since when. */
export function useMonitor() {
  return useQuery({
    queryKey: [key, 'extent'],
    queryFn: () => read(api.GET('/api/monitor')),
    refetchInterval: 10_000,
  })
}

const slowest = { sort: '-durationMs', limit: 100 } as const

/** @param reading a new number refetches the list from the newest transaction */
export function useTransactions(filter: TransactionFilter, reading: number, isSlowestFirst: boolean) {
  return useInfiniteQuery({
    queryKey: [key, 'list', filter, reading, isSlowestFirst],
    queryFn: ({ pageParam }) => {
      const query = { ...filter, ...(isSlowestFirst && slowest), ...(pageParam !== '' && { before: pageParam }) }
      return read(api.GET('/api/monitor/transactions', { params: { query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY, // newer transactions come from the tail; older ones do not change
    gcTime: 0, // reopening the page starts with the newest
  })
}

/** About how many match a filter. */
export function useCount(filter: TransactionFilter) {
  return useQuery({
    queryKey: [key, 'count', filter],
    enabled: Object.keys(filter).length > 0,
    queryFn: () => read(api.GET('/api/monitor/count', { params: { query: filter } })),
  })
}

/** The address of all that match. */
export function fileOf(filter: TransactionFilter, format: 'csv' | 'jsonl'): string {
  const texts = Object.entries({ format, ...filter }).map(([name, value]) => [name, String(value)])
  return `/api/monitor/transaction-file?${new URLSearchParams(texts)}`
}

export function useLatestCalls(filter: { readonly operator: string } | { readonly operation: string }) {
  return useQuery({
    queryKey: [key, 'latest', filter],
    queryFn: () => read(api.GET('/api/monitor/transactions', { params: { query: { ...filter, limit: 5 } } })),
  })
}

interface CallsOfHome {
  readonly outcome: 'failed' | 'served'
  readonly sort?: '-durationMs'
}

/** What Home shows of the calls since `last`: the last that failed, or the slowest. */
export function useCallsOfHome(shown: CallsOfHome, last: string) {
  return useQuery({
    queryKey: [key, 'home', shown, last],
    queryFn: () => {
      const query = { ...shown, from: sinceOf(last), limit: 5 }
      return read(api.GET('/api/monitor/transactions', { params: { query } }))
    },
    refetchInterval: 30_000,
  })
}

/** Who called an operation in the last seven days. */
export function useCallers(operation: string) {
  return useQuery({
    queryKey: [key, 'callers', operation],
    queryFn: () => read(api.GET('/api/monitor/callers', { params: { query: { operation, days: 7 } } })),
  })
}

export interface News {
  readonly items: readonly Transaction[]
  readonly latest: number
  /** More arrived than are held: only refetching the list shows all. */
  readonly hasOverflowed: boolean
}

/** Number of newer transactions held beside a list. */
const heldNews = 300

/**
 * Transactions stored since the list was fetched, newest first. Each poll continues where the last response ended and
 * adds to its transactions.
 * @param after `latest` of the list; undefined before the list is loaded
 */
export function useNews(filter: TransactionFilter, reading: number, after: number | undefined, everyMs: number) {
  const client = useQueryClient()
  const queryKey = [key, 'news', filter, reading, after]
  return useQuery({
    queryKey,
    enabled: after !== undefined,
    async queryFn(): Promise<News> {
      const before = client.getQueryData<News>(queryKey) ?? { items: [], latest: after ?? 0, hasOverflowed: false }
      if (before.hasOverflowed) return before
      const query = { ...filter, after: before.latest, limit: 100 }
      const { items, latest, isComplete } = await read(api.GET('/api/monitor/tail', { params: { query } }))
      const added = unite(items, before.items)
      return { items: added.slice(0, heldNews), latest, hasOverflowed: !isComplete || added.length > heldNews }
    },
    refetchInterval: everyMs,
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  })
}

/** Removes duplicates: a transaction can be both in the list and in the tail. */
export function unite(newer: readonly Transaction[], older: readonly Transaction[]): readonly Transaction[] {
  const known = new Set(newer.map(({ transactionId }) => transactionId))
  return [...newer, ...older.filter(({ transactionId }) => !known.has(transactionId))]
}

/**
 * A call is stored about a second after its end, so a link from its response may open too early: retries for a while.
 */
const patience = 4

export function useTransaction(transactionId: string) {
  return useQuery({
    queryKey: [key, 'one', transactionId],
    queryFn: () => read(api.GET('/api/monitor/transactions/{transactionId}', { params: { path: { transactionId } } })),
    retry: (count, error) => count < patience && error instanceof Problem && error.code === 'notFound',
    retryDelay: 600,
    staleTime: Number.POSITIVE_INFINITY, // a finished transaction does not change
  })
}

/** Only for the roles operator and administrator. */
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
