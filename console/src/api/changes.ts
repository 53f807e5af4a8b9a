/** The timeline of changes (specification 18.43). */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'

export type TimelineChange = Schemas['TimelineChange']
export const changeKinds = {
  revision: 'Revisions',
  rollback: 'Roll backs',
  draft: 'Drafts',
  caller: 'Callers',
} as const satisfies Readonly<Record<TimelineChange['kind'], string>>

export interface ChangesQuery {
  readonly kind?: TimelineChange['kind']
  readonly operation?: string
  readonly who?: string
  readonly from?: string
  readonly to?: string
}

const limit = 50

function readPage(query: ChangesQuery, before: number | undefined, length = limit) {
  return read(
    api.GET('/api/changes', {
      params: { query: { ...query, limit: length, ...(before !== undefined && { before }) } },
    }),
  )
}

export function useChanges(query: ChangesQuery) {
  return useInfiniteQuery({
    queryKey: ['changes', query],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }) => readPage(query, pageParam),
    getNextPageParam: ({ items }) => (items.length === limit ? items.at(-1)?.sequence : undefined),
    placeholderData: keepPreviousData,
  })
}

/** All of them, for the export. */
export async function readAllChanges(query: ChangesQuery): Promise<readonly TimelineChange[]> {
  const all: TimelineChange[] = []
  for (let isMore = true; isMore; ) {
    const { items } = await readPage(query, all.at(-1)?.sequence, 500)
    all.push(...items)
    isMore = items.length === 500
  }
  return all
}
