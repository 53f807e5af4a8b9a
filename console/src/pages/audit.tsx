/** The audit: who changed what, from where, with what was before and after. */
import { Button, Group, Stack, Table } from '@mantine/core'
import { useAudit } from '../api/audit.ts'
import type { Schemas } from '../api/client.ts'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { OtherSearch } from '../parts/other-search.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { showTime, showValue } from '../parts/show-value.tsx'
import { useParameter } from '../router.tsx'

type Entry = Schemas['AuditEntry']

export default function Audit() {
  const [actor] = useParameter('actor')
  const [action] = useParameter('action')
  const [subject] = useParameter('subject')
  const audit = useAudit({
    ...(actor !== '' && { actor }),
    ...(action !== '' && { action }),
    ...(subject !== '' && { subject }),
  })
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = audit
  const { data, error, refetch } = audit
  const query = { error, refetch, data: data && { items: data.pages.flatMap(({ items }) => items) } }
  return (
    <>
      <PageHead title="Audit" />
      <Stack>
        <Group gap="sm">
          <OtherSearch name="actor" label="Who" />
          <OtherSearch name="action" label="Action" />
          <OtherSearch name="subject" label="Of what" />
        </Group>
        <Loaded query={query} empty="There is no such entry.">
          {({ items }) => (
            <>
              <DataTable
                label="Audit"
                isStacked
                columns={columns}
                rows={items}
                keyOf={({ sequence }) => String(sequence)}
              />
              {hasNextPage && (
                <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
                  Earlier entries
                </Button>
              )}
            </>
          )}
        </Loaded>
      </Stack>
    </>
  )
}

const columns: readonly Column<Entry>[] = [
  { title: 'Time', show: ({ time }) => showTime(time) },
  { title: 'Who', show: ({ actor }) => actor },
  { title: 'From', isOnlyWide: true, show: ({ via, address }) => `${via}, ${address}` },
  { title: 'Action', show: ({ action }) => action },
  { title: 'Of what', show: ({ subject }) => <span className="mono">{subject}</span> },
  {
    title: 'Change',
    show: ({ before, after }) =>
      (before !== undefined || after !== undefined) && (
        <details>
          <summary>Before and after</summary>
          <Table withRowBorders={false} verticalSpacing={2}>
            <Table.Tbody>
              <Table.Tr>
                <Table.Th scope="row">Before</Table.Th>
                <Table.Td>{showValue(before)}</Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th scope="row">After</Table.Th>
                <Table.Td>{showValue(after)}</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
        </details>
      ),
  },
]
