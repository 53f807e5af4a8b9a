/** All callers of an operation, among the calls that are kept (specification 21.22). */
import { Group, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, Problem, read, type Schemas } from '../../api/client.ts'
import { readPages } from '../../api/read-pages.ts'
import type { paths } from '../../api/schema.d.ts'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { showCount } from '../../parts/figures-columns.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import { Pages, Search, useSearchQuery } from '../../parts/paging.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'

type Caller = Schemas['Caller']
type Query = paths['/api/monitor/callers']['get']['parameters']['query']

const readPage = (query: Query) => read(api.GET('/api/monitor/callers', { params: { query } }))

interface Props {
  readonly operation: string
  /** Shown instead where the monitor is off. */
  readonly children: ReactNode
}

export default function Callers({ operation, children }: Props) {
  const query = { operation, ...useSearchQuery() }
  const callers = useQuery({
    queryKey: ['monitor', 'callers', query],
    queryFn: () => readPage(query),
    placeholderData: keepPreviousData,
  })
  if (callers.error instanceof Problem && callers.error.code === 'monitorOff') return children
  return (
    <Stack>
      <Group>
        <Search label="Search callers" />
      </Group>
      <Loaded
        query={callers}
        empty={query.search === undefined ? 'Among the calls that the monitor keeps, no one called it.' : 'No matches.'}
      >
        {({ items, ...page }) => (
          <>
            <DataTable
              label="Callers"
              columns={columnsOf(operation)}
              rows={items}
              isPart
              readAll={() => readPages((part) => readPage({ ...query, ...part }))}
              keyOf={({ operator }) => operator ?? ''}
              linkOf={(caller) => callsOf(operation, caller)}
            />
            <Pages {...page} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}

function callsOf(operation: string, { operator }: Caller): string {
  return `/calls?${new URLSearchParams({ operation, ...(operator !== null && { operator }) })}`
}

function columnsOf(operation: string): readonly Column<Caller>[] {
  return [
    {
      title: 'Caller',
      sort: 'operator',
      value: ({ operator }) => operator ?? '',
      show: ({ operator }) =>
        operator === null ? (
          <Text span inherit c="dimmed">
            not recognized
          </Text>
        ) : (
          <Link to={`/callers/${encodeURIComponent(operator)}`} className="mono">
            {breakLongWords(operator)}
          </Link>
        ),
    },
    {
      title: 'Calls',
      sort: 'calls',
      isNumber: true,
      value: ({ calls }) => calls,
      show: (caller) => <Link to={callsOf(operation, caller)}>{showCount(caller.calls)}</Link>,
    },
    {
      title: 'Refused',
      sort: 'refused',
      isNumber: true,
      isOnlyWide: true,
      value: ({ refused }) => refused,
      show: ({ refused }) => showCount(refused),
    },
    {
      title: 'Failed',
      sort: 'failed',
      isNumber: true,
      value: ({ failed }) => failed,
      show: ({ failed }) => showCount(failed, true),
    },
    { title: 'Last call', sort: 'last', isNumber: true, value: ({ last }) => last, show: ({ last }) => showTime(last) },
  ]
}
