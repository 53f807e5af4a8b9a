/** When an operator last called, and its latest calls, of what the monitor keeps (specification 19.23). */
import { Badge, Paper, Table, Text, Title } from '@mantine/core'
import { useLatestCalls } from '../../api/monitor.ts'
import { pathOf } from '../../lists.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'
import { good } from '../../theme.ts'

export function LatestCalls({ operator }: { readonly operator: string }) {
  const calls = useLatestCalls(operator)
  return (
    <Paper withBorder p="md" component="section" aria-label="Latest calls">
      <Title order={2} mb={4}>
        Latest calls
      </Title>
      <Loaded query={calls}>
        {({ items: [last, ...others] }) =>
          last ? (
            <>
              <Text size="sm" mb="xs">
                Last used {showTime(last.time)}.{' '}
                <Link to={`/monitor?operator=${encodeURIComponent(operator)}`} underline="always">
                  All calls in the monitor
                </Link>
              </Text>
              <Table withRowBorders={false} verticalSpacing={2}>
                <Table.Tbody>
                  {[last, ...others].map(({ transactionId, time, operation, httpStatus, status }) => (
                    <Table.Tr key={transactionId}>
                      <Table.Td>
                        <Link to={`/monitor/${encodeURIComponent(transactionId)}`}>{showTime(time)}</Link>
                      </Table.Td>
                      <Table.Td>
                        {operation !== null && (
                          <Link to={pathOf('operations', operation)}>{breakLongWords(operation)}</Link>
                        )}
                      </Table.Td>
                      <Table.Td>
                        <Badge color={status === 'Done' ? good : 'red.9'}>{httpStatus}</Badge>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </>
          ) : (
            <Text size="sm" c="dimmed">
              The monitor keeps no call of this operator.
            </Text>
          )
        }
      </Loaded>
    </Paper>
  )
}
