/** Who called and when, in the lists of operations and of callers. */
import { useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from '../../api/client.ts'
import { figuresColumns, type ReadColumns, showCount } from '../../parts/figures-columns.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Link } from '../../router.tsx'

type CallUse = Schemas['CallUse']

/** Of the last day; the last call may be older. */
export function useUse(by: 'operation' | 'operator', ids: readonly string[]) {
  return useQuery({
    queryKey: ['monitor', 'use', by, ids],
    enabled: ids.length > 0,
    queryFn: () => read(api.GET('/api/monitor/use', { params: { query: { by, id: [...ids] } } })),
  })
}

const idOf = ({ id }: CallUse) => id
const showLast = ({ last }: CallUse) => <Moment time={last} isRelative />

export const useOperationColumns: ReadColumns = (ids) =>
  figuresColumns(useUse('operation', ids), idOf, [
    {
      title: 'Callers',
      show: ({ callers, id }) => (
        <Link to={`/operations/${encodeURIComponent(id)}?tab=callers`} aria-label={`${callers} callers of ${id}`}>
          {showCount(callers)}
        </Link>
      ),
    },
    { title: 'Last call', isOnlyWide: true, show: showLast },
  ])

export const useOperatorColumns: ReadColumns = (ids) =>
  figuresColumns(useUse('operator', ids), idOf, [
    {
      title: 'Calls (24 h)',
      hint: 'Calls of the last day that the monitor keeps',
      show: ({ calls, id }) => (
        <Link to={`/calls?operator=${encodeURIComponent(id)}`} aria-label={`${calls} calls of ${id}`}>
          {showCount(calls)}
        </Link>
      ),
    },
    { title: 'Refused', isOnlyWide: true, show: ({ refused }) => showCount(refused) },
    { title: 'Failed', isOnlyWide: true, show: ({ failed }) => showCount(failed, true) },
    { title: 'Last use', show: showLast },
  ])
