/** Entries of the REST cache, and their deletion (specification 18.27). */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import { readPages } from '../../api/read-pages.ts'
import { refetch } from '../../api/refetch.ts'

const key = ['rest-cache']

export function useCacheEntries(query: {
  readonly operation?: string
  readonly offset: number
  readonly limit: number
}) {
  return useQuery({
    queryKey: [...key, query],
    queryFn: () => read(api.GET('/api/rest-cache', { params: { query } })),
    placeholderData: keepPreviousData,
  })
}

/** All entries, for the export. */
export function readAllCacheEntries(query: { readonly operation?: string }) {
  return readPages((page) => read(api.GET('/api/rest-cache', { params: { query: { ...query, ...page } } })))
}

/** @returns number of deleted entries; undefined if all entries of the operation were deleted */
export function useDeleteCache() {
  const client = useQueryClient()
  return useMutation({
    async mutationFn({ operation, url }: { readonly operation: string; readonly url?: string }) {
      const path = { operation }
      if (url === undefined) {
        await read(api.DELETE('/api/rest-cache/{operation}', { params: { path } }))
        return undefined
      }
      return (await read(api.DELETE('/api/rest-cache/{operation}/entry', { params: { path, query: { url } } }))).deleted
    },
    onSuccess: () => refetch(client, { queryKey: key }),
  })
}
