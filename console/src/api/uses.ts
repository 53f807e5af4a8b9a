/** What uses an item of the configuration, or an operator (specification 18.41). */
import { useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'

export type Use = Schemas['Use']

/** @param draft empty for the active configuration */
export function useUses(list: Use['list'] | 'operators', id: string, draft: string) {
  return useQuery({
    queryKey: ['items', 'uses', list, id, draft], // refetched after changes of items
    queryFn: () => read(api.GET('/api/uses', { params: { query: { list, id, ...(draft !== '' && { draft }) } } })),
  })
}
