/** Calls an operation as any operator (specification 19.11). */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'
import { refetch } from './refetch.ts'

export function useTry() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['TrialInput']) => read(api.POST('/api/try', { body })),
    onSuccess: () =>
      refetch(client, {
        predicate: ({ queryKey }) => ['logs', 'rest-cache', 'statistics'].includes(String(queryKey[0])),
      }),
  })
}
