/** The part of Home with single calls: the last that failed, and the slowest of the day (specification 21.21). */
import { Group, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { showDuration } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'
import { type Transaction, useCallsOfHome, useMonitor } from './api.ts'
import { OutcomeBadge } from './show-transaction.tsx'

export default function HomeCalls() {
  const isOn = useMonitor().data?.isOn ?? false
  if (!isOn) return null
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Calls
        title="Last failed calls"
        shown={{ outcome: 'failed' }}
        last="24h"
        empty="No call failed in the last day."
        links={[
          ['Failed in the last hour', '?outcome=failed&last=1h'],
          ['Refused', '?outcome=refused&last=1h'],
        ]}
        column={{ title: 'Outcome', value: ({ outcome }) => outcome, show: showStatus }}
      />
      <Calls
        title="Slowest calls of the day"
        shown={{ outcome: 'served', sort: '-durationMs' }}
        last="24h"
        empty="No call was served in the last day."
        links={[['Slowest', '?outcome=served&sort=-durationMs&last=24h']]}
        column={{
          title: 'Duration',
          isNumber: true,
          value: ({ durationMs }) => durationMs,
          show: ({ durationMs }) => showDuration(durationMs),
        }}
      />
    </SimpleGrid>
  )
}

const showStatus = ({ outcome, isSlow, httpStatus }: Transaction) => (
  <Group gap="xs" wrap="nowrap">
    <OutcomeBadge outcome={outcome} isSlow={isSlow} />
    {httpStatus}
  </Group>
)

interface Props {
  readonly title: string
  readonly shown: Parameters<typeof useCallsOfHome>[0]
  readonly last: string
  readonly empty: string
  /** The same in the list of calls, the first with the filters of this part. */
  readonly links: readonly (readonly [words: string, search: string])[]
  readonly column: Column<Transaction>
}

function Calls({ title, shown, last, empty, links, column }: Props) {
  const calls = useCallsOfHome(shown, last)
  const search = `?${new URLSearchParams({ ...shown, last })}`
  const linkOf = ({ transactionId }: Transaction) => `/calls/${encodeURIComponent(transactionId)}${search}`
  const columns: readonly Column<Transaction>[] = [
    {
      title: 'Time',
      show: (call) => (
        <Link to={linkOf(call)}>
          <Moment time={call.time} isAbsolute isShort />
        </Link>
      ),
    },
    { title: 'Operation', value: ({ operation, method, url }) => operation ?? `${method} ${url}` },
    { title: 'Caller', isOnlyWide: true, value: ({ operator, remoteAddress }) => operator ?? remoteAddress },
    column,
  ]
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{title}</Title>
        <Group gap="md">
          {links.map(([words, to]) => (
            <Link key={words} to={`/calls${to}`}>
              {words}
            </Link>
          ))}
        </Group>
      </Group>
      <Loaded query={calls}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              {empty}
            </Text>
          ) : (
            <DataTable
              isPlain
              label={title}
              columns={columns}
              rows={items}
              keyOf={({ transactionId }) => transactionId}
              linkOf={linkOf}
            />
          )
        }
      </Loaded>
    </Paper>
  )
}
