/** What shadow handlers answer differently (specification 36.17). */
import { useQuery } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'

export function useShadows() {
  return useQuery({
    queryKey: ['shadows'],
    queryFn: () => read(api.GET('/api/shadows')),
    refetchInterval: 5000,
  })
}
