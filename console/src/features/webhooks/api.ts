/** Webhooks: what was sent, and a test (specification 35.11). */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import { refetch } from '../../api/refetch.ts'

const webhooks = ['webhooks']

export function useWebhooks() {
  return useQuery({
    queryKey: webhooks,
    queryFn: () => read(api.GET('/api/webhooks')),
    refetchInterval: 2000,
  })
}

export function useTestWebhooks() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => read(api.POST('/api/webhooks/test')),
    onSuccess: () => refetch(client, { queryKey: webhooks }),
  })
}
