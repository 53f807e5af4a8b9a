/** The audit log (specification 18.30). */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, read } from './client.ts'

export interface AuditQuery {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
}

const limit = 50

export function useAudit(query: AuditQuery) {
  return useInfiniteQuery({
    queryKey: ['audit', query],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }) =>
      read(
        api.GET('/api/audit', {
          params: { query: { ...query, limit, ...(pageParam !== undefined && { before: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ items }) => (items.length === limit ? items.at(-1)?.sequence : undefined),
  })
}

export function useAuditVerification() {
  return useQuery({ queryKey: ['audit', 'verification'], queryFn: () => read(api.GET('/api/audit/verification')) })
}
