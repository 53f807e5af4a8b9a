/** Statistics of the cluster's recent calls, and its instances (specification 22.1 to 22.4). */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'

export type Statistics = Schemas['Statistics']
export type Figures = Schemas['Figures']
export type Point = Schemas['StatisticsPoint']
export type OperationFigures = Schemas['OperationFigures']
export type Instance = Schemas['Instance']

export interface StatisticsQuery {
  readonly minutes: number
  readonly sort: 'calls' | 'failed' | 'p95'
  /** Limits points and total to this operation. */
  readonly operation?: string
}

/** Milliseconds; a step lasts five seconds. Polling pauses while the tab is hidden. */
const askEvery = 2500

export function useStatistics(query: StatisticsQuery) {
  return useQuery({
    queryKey: ['statistics', query],
    queryFn: () => read(api.GET('/api/statistics', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: askEvery,
  })
}

export function useInstances() {
  return useQuery({
    queryKey: ['instances'],
    queryFn: () => read(api.GET('/api/instances')),
    refetchInterval: askEvery,
  })
}

export function useGatewayState() {
  return useQuery({ queryKey: ['state'], queryFn: () => read(api.GET('/api/state')) })
}
