/** Figures of the last day in the list of operations. */
import { useQuery } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import { figuresColumns, type ReadColumns, showCount } from '../../parts/figures-columns.tsx'
import { showDuration } from '../../parts/show-value.tsx'
import type { OperationFigures } from './api.ts'

export function useOperationFigures(ids: readonly string[]) {
  return useQuery({
    queryKey: ['history', 'operations', ids],
    enabled: ids.length > 0,
    queryFn: () => read(api.GET('/api/metrics/operations', { params: { query: { id: [...ids] } } })),
  })
}

export const useOperationColumns: ReadColumns = (ids) =>
  figuresColumns<OperationFigures>(useOperationFigures(ids), ({ operation }) => operation, [
    {
      title: 'Calls (24 h)',
      hint: 'All calls of the last day, as the metrics count them',
      show: ({ calls }) => showCount(calls),
    },
    { title: 'Failed', show: ({ failed }) => showCount(failed, true) },
    { title: 'p95', isOnlyWide: true, show: ({ p95 }) => (p95 === null ? null : showDuration(p95)) },
  ])
