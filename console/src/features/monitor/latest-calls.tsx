/** The latest calls of a caller or an operation, of what the monitor keeps (specification 18.19). */
import { Badge, Paper, Table, Text, Title } from '@mantine/core'
import type { CallsOf } from '../../page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import { Moment } from '../../parts/moment.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'
import { useLatestCalls } from './api.ts'

export default function LatestCalls({ query, ofWhom }: CallsOf) {
  const calls = useLatestCalls(query)
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
                Last {'operation' in query ? 'called' : 'used'} <Moment time={last.time} />.{' '}
                <Link to={`/calls?${new URLSearchParams(query)}`} underline="always">
                  All calls
                </Link>
              </Text>
              <Table withRowBorders={false} verticalSpacing={2}>
                <Table.Tbody>
                  {[last, ...others].map(({ transactionId, time, operation, operator, httpStatus, outcome }) => (
                    <Table.Tr key={transactionId}>
                      <Table.Td>
                        <Link to={`/calls/${encodeURIComponent(transactionId)}`}>{showTime(time)}</Link>
                      </Table.Td>
                      <Table.Td>
                        <Other operation={'operation' in query ? null : operation} operator={operator} />
                      </Table.Td>
                      <Table.Td>
                        <Badge color={outcome}>{httpStatus}</Badge>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </>
          ) : (
            <Text size="sm" c="dimmed">
              The monitor keeps no call {ofWhom}.
            </Text>
          )
        }
      </Loaded>
    </Paper>
  )
}

/** The operation of a caller's call, or the caller of an operation's. */
function Other({ operation, operator }: { readonly operation: string | null; readonly operator: string | null }) {
  const [name, to] = operation === null ? [operator, '/callers'] : [operation, '/operations']
  if (name === null) return null
  return <Link to={`${to}/${encodeURIComponent(name)}`}>{breakLongWords(name)}</Link>
}
