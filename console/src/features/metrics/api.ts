/** Figures of the cluster's calls over time, and its instances (specification 20.9, 43). */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read, type Schemas } from '../../api/client.ts'
import { refetch } from '../../api/refetch.ts'

export type History = Schemas['MetricsHistory']
export type Figures = Schemas['Figures']
export type Point = Schemas['StatisticsPoint']
export type OperationFigures = Schemas['OperationFigures']
export type Instance = Schemas['Instance']

export interface HistoryQuery {
  readonly minutes?: number
  /** ISO 8601. */
  readonly from?: string
  readonly to?: string
  readonly sort: 'calls' | 'failed' | 'mean'
  /** Limits points, total and callers to this operation. */
  readonly operation?: string
}

/** Milliseconds; steps last five seconds, or a minute and more. Polling pauses while the tab is hidden. */
const askEvery = { steps: 2500, minutes: 20_000 }

export function useHistory(query: HistoryQuery) {
  const every = query.from === undefined && (query.minutes ?? 60) <= 15 ? askEvery.steps : askEvery.minutes
  return useQuery({
    queryKey: ['history', query],
    queryFn: () => read(api.GET('/api/metrics/history', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: query.to === undefined ? every : false,
  })
}

/** The history of a time span that moves with the clock. @param query returns its times at each request; undefined: no request is sent */
export function useMovingHistory(name: readonly unknown[], query: (() => HistoryQuery) | undefined) {
  return useQuery({
    queryKey: ['history', ...name],
    enabled: query !== undefined,
    queryFn: () => read(api.GET('/api/metrics/history', { params: { query: query?.() ?? { sort: 'calls' } } })),
    placeholderData: keepPreviousData,
    refetchInterval: askEvery.minutes,
  })
}

export function useInstances() {
  return useQuery({
    queryKey: ['instances'],
    queryFn: () => read(api.GET('/api/instances')),
    refetchInterval: askEvery.steps,
  })
}

interface ChangeQuery {
  /** ISO 8601. */
  readonly from: string
  readonly to?: string
  readonly limit: number
}

/** Changes of configuration and callers, the newest first. @param query its times, when it is asked */
export function useChanges(name: string | number, query: () => ChangeQuery) {
  return useQuery({
    queryKey: ['changes', 'home', name],
    queryFn: () => read(api.GET('/api/changes', { params: { query: query() } })),
    refetchInterval: askEvery.minutes,
  })
}

/** @param ended those that ended, instead of the active ones */
export function useAlerts(ended: boolean, every = askEvery.steps) {
  return useQuery({
    queryKey: ['alerts', ended],
    queryFn: () => read(api.GET('/api/alerts', { params: { query: { ended: ended ? 'true' : 'false' } } })),
    refetchInterval: every,
  })
}

/** The active ones that are not silenced. */
export function useAlertCount(): number {
  const { data } = useAlerts(false, askEvery.minutes)
  return data?.items.filter(({ silencedUntil }) => silencedUntil === null).length ?? 0
}

export function useSilence() {
  const client = useQueryClient()
  return useMutation({
    /** Without a time the silence ends. */
    mutationFn: async ({ id, until }: { readonly id: string; readonly until?: string }) => {
      const params = { path: { id } }
      if (until === undefined) await read(api.DELETE('/api/alerts/{id}/silence', { params }))
      else await read(api.PUT('/api/alerts/{id}/silence', { params, body: { until } }))
    },
    onSuccess: () => refetch(client, { queryKey: ['alerts'] }),
  })
}
