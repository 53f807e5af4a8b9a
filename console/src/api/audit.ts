/** The audit log (specification 18.30). */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'

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
          params: {
            query: { ...query, isShort: 'true', limit, ...(pageParam !== undefined && { before: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ items }) => (items.length === limit ? items.at(-1)?.sequence : undefined),
  })
}

/** Reads the entry with the values that the list left out. */
export function useAuditEntry(listed: Schemas['ListedAuditEntry'], isAsked: boolean) {
  const { sequence, isCut = false } = listed
  return useQuery<Schemas['AuditEntry']>({
    queryKey: ['audit', 'entry', sequence],
    enabled: isAsked,
    ...(!isCut && { initialData: listed }),
    staleTime: Number.POSITIVE_INFINITY, // an entry never changes
    queryFn: () => read(api.GET('/api/audit/{sequence}', { params: { path: { sequence } } })),
  })
}

/** All entries, whole, for the export. */
export async function readAllAudit(query: AuditQuery): Promise<readonly Schemas['AuditEntry'][]> {
  const entries: Schemas['AuditEntry'][] = []
  for (let isMore = true; isMore; ) {
    const last = entries.at(-1)
    const page = { ...query, limit, ...(last && { before: last.sequence }) }
    const { items } = await read(api.GET('/api/audit', { params: { query: page } }))
    entries.push(...items)
    isMore = items.length === limit
  }
  return entries
}

export function useAuditVerification() {
  return useQuery({ queryKey: ['audit', 'verification'], queryFn: () => read(api.GET('/api/audit/verification')) })
}
