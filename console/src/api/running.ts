/** REST cache, limits, logs, settings (specification 18.27 to 18.29, 25.10). */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'
import { refetch } from './refetch.ts'

const key = ['rest-cache']

export function useCacheEntries(query: {
  readonly operation?: string
  readonly offset: number
  readonly limit: number
}) {
  return useQuery({
    queryKey: [...key, query],
    queryFn: () => read(api.GET('/api/rest-cache', { params: { query } })),
    placeholderData: keepPreviousData,
  })
}

/** @returns number of deleted entries; undefined if all entries of the operation were deleted */
export function useDeleteCache() {
  const client = useQueryClient()
  return useMutation({
    async mutationFn({ operation, url }: { readonly operation: string; readonly url?: string }) {
      const path = { operation }
      if (url === undefined) {
        await read(api.DELETE('/api/rest-cache/{operation}', { params: { path } }))
        return undefined
      }
      return (await read(api.DELETE('/api/rest-cache/{operation}/entry', { params: { path, query: { url } } }))).deleted
    },
    onSuccess: () => refetch(client, { queryKey: key }),
  })
}

/** Only administrators may ask. */
export function useLoadedHandlers(isEnabled: boolean) {
  return useQuery({ queryKey: ['handlers'], enabled: isEnabled, queryFn: () => read(api.GET('/api/handlers')) })
}

export type LogEntry = Schemas['LogEntry']
export type LogLevel = LogEntry['level']

export interface LogQuery {
  readonly level?: LogLevel
  readonly transaction?: string
  readonly search?: string
  readonly from?: string
  readonly to?: string
}

export function useLog(log: 'message' | 'error', query: LogQuery, isLive: boolean) {
  return useQuery({
    queryKey: ['logs', log, query],
    queryFn: () => read(api.GET('/api/logs/{log}', { params: { path: { log }, query: { ...query, limit: 200 } } })),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? 2000 : false,
  })
}

export type Setting = Schemas['Setting']

export function useSettings() {
  return useQuery({ queryKey: ['settings'], queryFn: () => read(api.GET('/api/settings')) })
}
