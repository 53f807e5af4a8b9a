/** Calls an operation of the active configuration or of a draft as any operator (specification 19.11, 41). */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'
import { refetch } from './refetch.ts'

/** @param draft its id; empty for the active configuration */
export function useTry(draft: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['TrialInput']) =>
      read(
        draft === ''
          ? api.POST('/api/try', { body })
          : api.POST('/api/drafts/{draft}/try', { params: { path: { draft } }, body }),
      ),
    onSuccess: () =>
      refetch(client, {
        predicate: ({ queryKey }) => ['logs', 'rest-cache', 'statistics'].includes(String(queryKey[0])),
      }),
  })
}
