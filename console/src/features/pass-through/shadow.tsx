/** What the shadow of an operation answers differently from the server that answers (specification 36.17). */
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from '../../api/client.ts'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { showTime } from '../../parts/show-value.tsx'

type Comparison = Schemas['ShadowComparison']
type Row = Pick<Comparison['differing'][number], 'time' | 'call' | 'transactionId'> & { readonly what: string }

const columns: readonly Column<Row>[] = [
  { title: 'Time', show: ({ time }) => showTime(time) },
  { title: 'Call', show: ({ call }) => call },
  { title: 'What', show: ({ what }) => what },
]

export function Shadow({ operation, handler }: { readonly operation: string; readonly handler: string }) {
  const shadows = useQuery({
    queryKey: ['shadows'],
    queryFn: () => read(api.GET('/api/shadows')),
    refetchInterval: 5000,
  })
  return (
    <Stack gap="xs" mt="md">
      <Text>Shadow: {handler}</Text>
      <Loaded query={shadows}>
        {({ items }) => {
          const found = items.find((item) => item.operation === operation)
          return found ? <Found found={found} /> : <Text c="dimmed">No calls have been compared yet.</Text>
        }}
      </Loaded>
    </Stack>
  )
}

function Found({ found }: { readonly found: Comparison }) {
  const { calls, differ, notRun, outside, differing } = found
  const rows = differing
    .toReversed()
    .flatMap(({ differences, ...call }) => differences.map((what) => ({ ...call, what })))
  const left = notRun > 0 ? `, ${notRun.toLocaleString('en-US')} not compared` : ''
  return (
    <>
      <Text>{`${calls.toLocaleString('en-US')} ${calls === 1 ? 'call' : 'calls'}, ${differ.toLocaleString('en-US')} ${differ === 1 ? 'differs' : 'differ'}${left}`}</Text>
      {outside.length > 0 && <Text c="dimmed">Not undone, because outside the database: {outside.join(', ')}</Text>}
      {rows.length > 0 && (
        <DataTable
          label="Calls that differ"
          isStacked
          isPlain
          columns={columns}
          rows={rows}
          keyOf={({ transactionId, what }) => `${transactionId} ${what}`}
        />
      )}
    </>
  )
}
