/** Which operator may call which operation, and by which permission list (specification 21.13). */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'
import type { paths } from './schema.d.ts'

export type PermissionMatrix = Schemas['PermissionMatrix']
type MatrixQuery = NonNullable<paths['/api/permission-matrix']['get']['parameters']['query']>

export function usePermissionMatrix(query: MatrixQuery, isAsked = true) {
  return useQuery({
    enabled: isAsked,
    queryKey: ['operators', 'matrix', query], // refetched after changes of operators
    queryFn: () => read(api.GET('/api/permission-matrix', { params: { query } })),
    placeholderData: keepPreviousData,
  })
}
