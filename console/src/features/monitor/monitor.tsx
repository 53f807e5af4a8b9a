/**
 * The monitor: transactions, newest first, with filters in the URL; details open above the list (specification 21.8).
 */
import { Alert, Drawer, Stack, Text } from '@mantine/core'
import type { PageProps } from '../../page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { go, usePlace } from '../../router.tsx'
import { type NotKept, useCount, useMonitor } from './api.ts'
import { Filters } from './filters.tsx'
import { ListFoot, ListHead } from './list-frame.tsx'
import { readFilter } from './read-filter.ts'
import { TransactionDetails } from './transaction-details.tsx'
import { TransactionTable } from './transaction-table.tsx'
import { useLiveList } from './use-live-list.ts'

export default function Monitor({ id }: PageProps) {
  const { query } = usePlace()
  const monitor = useMonitor()
  return (
    <>
      <PageHead />
      <Loaded query={monitor}>
        {({ isOn, minDurations, ...extent }) =>
          isOn ? (
            <Stack>
              <Filters minDurations={minDurations} />
              <Transactions extent={extent} opened={id} />
            </Stack>
          ) : (
            <Alert color="gray" role="status" title="The monitor is off">
              No transactions are kept. Set ig.monitor=on and restart the gateway.
            </Alert>
          )
        }
      </Loaded>
      <Drawer
        opened={id !== ''}
        onClose={() => go(query.size === 0 ? '/monitor' : `/monitor?${query}`)}
        title="Transaction"
        position="right"
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {id !== '' && <TransactionDetails transactionId={id} />}
      </Drawer>
    </>
  )
}

interface ListProps {
  readonly extent: { readonly transactions: number; readonly oldest: string | null }
  readonly opened: string
}

function Transactions({ extent, opened }: ListProps) {
  const { query } = usePlace()
  const filter = readFilter(query)
  const list = useLiveList(filter)
  const matches = useCount(filter).data
  return (
    <>
      <ListHead extent={extent} list={list} matches={matches} />
      <Loaded query={list.query}>
        {({ items, notKept }) => (
          <>
            <Missing notKept={notKept} />
            {items.length > 0 && <TransactionTable filter={filter} items={items} opened={opened} />}
            <ListFoot list={list} isEmpty={items.length === 0} isFiltered={Object.keys(filter).length > 0} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** Warns that the list is incomplete. */
function Missing({ notKept: { done, error, reasons } }: { readonly notKept: NotKept }) {
  if (done + error === 0) return null
  const why = reasons.map((reason) => reasonWords[reason]).join(', and ')
  return (
    <Alert
      color="yellow"
      role="status"
      title="Some transactions were not kept"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Text size="sm">
        {(done + error).toLocaleString('en')} transactions of this period are missing, {error.toLocaleString('en')} of
        them with status Error: {why}.
      </Text>
    </Alert>
  )
}

const reasonWords: Readonly<Record<NotKept['reasons'][number], string>> = {
  rate: 'the rate exceeded ig.monitor.perSecond',
  database: 'the database of the monitor was unavailable',
}
