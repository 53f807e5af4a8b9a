/** The last calls of an operation that failed, as facts beside its figures. */
import { Badge, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, Problem, read } from '../../api/client.ts'
import type { OperationFactsProps } from '../../page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Link } from '../../router.tsx'

export default function LastFailures({ operation }: OperationFactsProps) {
  const query = { operation, outcome: 'failed' as const, limit: 3 }
  const failures = useQuery({
    queryKey: ['monitor', 'latest', query],
    queryFn: () => read(api.GET('/api/monitor/transactions', { params: { query } })),
  })
  if (failures.error instanceof Problem && failures.error.code === 'monitorOff') return null
  return (
    <Paper withBorder p="md" component="section" aria-label="Last failures">
      <Title order={2} mb={4}>
        Last failures
      </Title>
      <Loaded query={failures}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              None among the calls that the monitor keeps.
            </Text>
          ) : (
            <Stack gap="xs">
              {items.map(({ transactionId, time, httpStatus, reason, refusal }) => (
                <div key={transactionId}>
                  <Badge color="failed">{httpStatus}</Badge>{' '}
                  <Link to={`/calls/${encodeURIComponent(transactionId)}`}>
                    <Moment time={time} isRelative />
                  </Link>
                  <Text size="xs" c="dimmed" lineClamp={2}>
                    {breakLongWords(reason ?? refusal ?? '')}
                  </Text>
                </div>
              ))}
              <div className="links">
                <Link to={`/calls?${new URLSearchParams({ operation, outcome: 'failed' })}`}>All failed calls</Link>
              </div>
            </Stack>
          )
        }
      </Loaded>
    </Paper>
  )
}
