/** Operators (specification 18.19). */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read, readTagged, type Schemas } from './client.ts'
import { readPages } from './read-pages.ts'
import { refetch } from './refetch.ts'

export type Operator = Schemas['Operator']
export type EmailAddress = Schemas['EmailAddress']

export interface OperatorQuery {
  readonly search?: string
  readonly isLocked?: 'true' | 'false'
  readonly permissionList?: string
  readonly sort?: string
  readonly offset?: number
  readonly limit?: number
}

const key = ['operators']

export function useOperators(query: OperatorQuery, isAsked = true) {
  return useQuery({
    enabled: isAsked,
    queryKey: [...key, query],
    queryFn: () => read(api.GET('/api/operators', { params: { query } })),
    placeholderData: keepPreviousData,
  })
}

export function readAllOperators(query: OperatorQuery): Promise<readonly Operator[]> {
  return readPages((page) => read(api.GET('/api/operators', { params: { query: { ...query, ...page } } })))
}

export function useOperator(id: string) {
  return useQuery({
    queryKey: [...key, 'one', id],
    queryFn: () => readTagged(api.GET('/api/operators/{id}', { params: { path: { id } } })),
  })
}

export function useCreateOperator() {
  return useChange((body: Schemas['NewOperatorInput']) => read(api.POST('/api/operators', { body })))
}

export function useChangeOperator(id: string) {
  return useChange(({ etag, ...body }: Schemas['OperatorChangeInput'] & { readonly etag: string }) =>
    read(api.PATCH('/api/operators/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body })),
  )
}

export function useDeleteOperator() {
  return useChange((id: string) => read(api.DELETE('/api/operators/{id}', { params: { path: { id } } })))
}

export function useSetOperatorPassword(id: string) {
  return useChange((password: string) =>
    read(api.PUT('/api/operators/{id}/password', { params: { path: { id } }, body: { password } })),
  )
}

export function useLockOperator() {
  return useChange(({ id, isLocked }: { readonly id: string; readonly isLocked: boolean }) => {
    const params = { path: { id } }
    return read(
      isLocked ? api.PUT('/api/operators/{id}/lock', { params }) : api.DELETE('/api/operators/{id}/lock', { params }),
    )
  })
}

export function useGrant() {
  return useChange(
    ({
      id,
      permissionList,
      isGranted,
    }: {
      readonly id: string
      readonly permissionList: string
      readonly isGranted: boolean
    }) => {
      const url = '/api/operators/{id}/permission-lists/{permissionList}'
      const params = { path: { id, permissionList } }
      return read(isGranted ? api.PUT(url, { params }) : api.DELETE(url, { params }))
    },
  )
}

export type OperatorChanges = Schemas['OperatorChanges']

export interface OperatorFile {
  readonly format: 'csv' | 'json'
  readonly text: string
}

export function useImportOperators() {
  return useChange((body: OperatorFile & { readonly dryRun: boolean }) =>
    read(api.POST('/api/operator-file', { body })),
  )
}

export function useExportOperators() {
  return useMutation({
    mutationFn: () => read(api.GET('/api/operator-file', { params: { query: { format: 'csv' } } })),
  })
}

export function useHolders(permissionList: string) {
  return useQuery({
    queryKey: [...key, 'holders', permissionList],
    queryFn: () => read(api.GET('/api/permission-lists/{id}/operators', { params: { path: { id: permissionList } } })),
  })
}

export function useSetHolders(permissionList: string) {
  return useChange((body: { readonly operators: string[]; readonly dryRun: boolean }) =>
    read(api.PUT('/api/permission-lists/{id}/operators', { params: { path: { id: permissionList } }, body })),
  )
}

/** Every change refetches all data about operators. */
function useChange<Variables, Data>(mutationFn: (variables: Variables) => Promise<Data>) {
  const client = useQueryClient()
  return useMutation({ mutationFn, onSuccess: () => refetch(client, { queryKey: key }) })
}
