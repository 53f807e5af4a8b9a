/** The keys of session tokens, and what is revoked of the tokens (specification 27.14). */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read, type Schemas } from '../../api/client.ts'
import { refetch } from '../../api/refetch.ts'

export type SessionTokenKey = Schemas['SessionTokenKey']

const queryKey = ['session-token-keys']
/** Milliseconds: a new key signs after three seconds. */
const every = 2000

export function useSessionTokenKeys() {
  return useQuery({ queryKey, queryFn: () => read(api.GET('/api/session-token-keys')), refetchInterval: every })
}

export function useRotateSessionTokenKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => read(api.POST('/api/session-token-keys')),
    onSuccess: () => refetch(client, { queryKey }),
  })
}

export function useRevokeSessionTokenKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => read(api.DELETE('/api/session-token-keys/{id}', { params: { path: { id } } })),
    onSuccess: () => refetch(client, { queryKey }),
  })
}

export function useRevokeSessionTokens() {
  return useMutation({
    mutationFn: (id: string) => read(api.DELETE('/api/operators/{id}/session-tokens', { params: { path: { id } } })),
  })
}
