/** Administrators and API tokens (specification 18.8, 18.11, 18.12). */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read, readTagged, type Schemas } from './client.ts'
import { readPages } from './read-pages.ts'
import { refetch } from './refetch.ts'

export type Administrator = Schemas['Administrator']
export type ApiToken = Schemas['ApiToken']

interface Paging {
  readonly sort?: string
  readonly offset: number
  readonly limit: number
}

export function useAdministrators(query: Paging) {
  return useQuery({
    queryKey: ['administrators', query],
    queryFn: () => read(api.GET('/api/administrators', { params: { query } })),
    placeholderData: keepPreviousData,
  })
}

export function readAllAdministrators(): Promise<readonly Administrator[]> {
  return readPages((query) => read(api.GET('/api/administrators', { params: { query } })))
}

export function useAdministrator(name: string) {
  return useQuery({
    queryKey: ['administrators', 'one', name],
    queryFn: () => readTagged(api.GET('/api/administrators/{name}', { params: { path: { name } } })),
  })
}

export function useCreateAdministrator() {
  return useChange((body: Schemas['NewAdministratorInput']) => read(api.POST('/api/administrators', { body })))
}

/** Also refetches the session, because administrators can change their own role. */
export function useChangeAdministrator(name: string) {
  return useChange(
    ({ etag, ...body }: Schemas['AdministratorChangeInput'] & { readonly etag: string }) =>
      read(api.PATCH('/api/administrators/{name}', { params: { path: { name }, header: { 'If-Match': etag } }, body })),
    'session',
  )
}

/** Also refetches the session, because administrators can lock themselves. */
export function useLockAdministrator(name: string) {
  const params = { path: { name } }
  return useChange(
    (isLocked: boolean) =>
      read(
        isLocked
          ? api.PUT('/api/administrators/{name}/lock', { params })
          : api.DELETE('/api/administrators/{name}/lock', { params }),
      ),
    'session',
  )
}

export function useSetAdministratorPassword(name: string) {
  return useChange((password: string) =>
    read(api.PUT('/api/administrators/{name}/password', { params: { path: { name } }, body: { password } })),
  )
}

export function useResetSecondFactors(name: string) {
  return useChange((_: undefined) =>
    read(api.DELETE('/api/administrators/{name}/second-factors', { params: { path: { name } } })),
  )
}

export function useTokens(query: Paging) {
  return useQuery({
    queryKey: ['tokens', query],
    queryFn: () => read(api.GET('/api/tokens', { params: { query } })),
    placeholderData: keepPreviousData,
  })
}

export function readAllTokens(): Promise<readonly ApiToken[]> {
  return readPages((query) => read(api.GET('/api/tokens', { params: { query } })))
}

export function useCreateToken() {
  return useChange((body: Schemas['TokenRequestInput']) => read(api.POST('/api/tokens', { body })))
}

export function useRevokeToken() {
  return useChange((id: string) => read(api.DELETE('/api/tokens/{id}', { params: { path: { id } } })))
}

function useChange<Variables, Data>(mutationFn: (variables: Variables) => Promise<Data>, ...others: string[]) {
  const client = useQueryClient()
  const stale = ['administrators', 'tokens', ...others]
  return useMutation({
    mutationFn,
    onSuccess: () => refetch(client, { predicate: ({ queryKey }) => stale.includes(String(queryKey[0])) }),
  })
}
