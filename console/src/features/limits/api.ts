/** Limited callers, and lifting their limits (specification 25.10). */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import { refetch } from '../../api/refetch.ts'

const limited = ['limited']

export function useLimited() {
  return useQuery({
    queryKey: limited,
    queryFn: () => read(api.GET('/api/limited')),
    refetchInterval: 2000,
  })
}

export function useLiftLimit() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ limit, subject }: { readonly limit: string; readonly subject: string }) =>
      read(api.DELETE('/api/limited/{limit}', { params: { path: { limit }, query: { subject } } })),
    onSuccess: () => refetch(client, { queryKey: limited }),
  })
}
