/** Who still calls a deprecated operation (specification 18.14). */
import { Paper, Table, Text, Title } from '@mantine/core'
import { Loaded } from '../../parts/loaded.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'
import { useCallers } from './api.ts'

export default function Callers({ operation }: { readonly operation: string }) {
  const callers = useCallers(operation)
  return (
    <Paper withBorder p="md" mt="md" component="section" aria-label="Callers of the last 7 days">
      <Title order={2} mb="sm">
        Callers of the last 7 days
      </Title>
      <Loaded query={callers}>
        {({ items, isComplete }) => (
          <>
            {items.length === 0 ? (
              <Text size="sm">No one called it.</Text>
            ) : (
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">Caller</Table.Th>
                    <Table.Th scope="col">Calls</Table.Th>
                    <Table.Th scope="col">Last call</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map(({ operator, calls, last }) => (
                    <Table.Tr key={operator ?? ''}>
                      <Table.Th scope="row">
                        <Link to={callsOf(operation, operator)}>{operator ?? 'Unknown'}</Link>
                      </Table.Th>
                      <Table.Td>{calls}</Table.Td>
                      <Table.Td>{showTime(last)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )}
            {!isComplete && (
              <Text size="sm" c="dimmed">
                There may be more: the newest 100,000 calls and 100 callers are shown.
              </Text>
            )}
          </>
        )}
      </Loaded>
    </Paper>
  )
}

function callsOf(operation: string, operator: string | null): string {
  return `/calls?${new URLSearchParams({ operation, ...(operator === null ? {} : { operator }) })}`
}
