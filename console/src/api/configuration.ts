/** The lists of the active configuration (specification 18.20). */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'

export interface ListQuery {
  readonly search?: string
  readonly offset?: number
  readonly limit?: number
}

export function usePermissionLists(query: ListQuery = { limit: 500 }) {
  return useQuery({
    queryKey: ['permission-lists', query],
    queryFn: () => read(api.GET('/api/permission-lists', { params: { query } })),
    placeholderData: keepPreviousData,
  })
}

export function useOperations(
  query: ListQuery & { readonly service?: string; readonly verification?: string },
  isAsked = true,
) {
  return useQuery({
    enabled: isAsked,
    queryKey: ['operations', query],
    queryFn: () => read(api.GET('/api/operations', { params: { query } })),
    placeholderData: keepPreviousData,
  })
}

export type PermissionList = Schemas['PermissionListEntry']
export type OperationEntry = Schemas['OperationEntry']
