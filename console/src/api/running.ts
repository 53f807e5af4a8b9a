/** Logs and settings (specification 18.28, 18.29). */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'

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
