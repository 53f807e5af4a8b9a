/**
 * Calls of the monitor, newest first, with filters in the URL (specification 21.8). The page of a call takes the
 * place of the list, which is kept below it.
 */
import { Alert, Stack, Text } from '@mantine/core'
import { useLayoutEffect, useMemo, useRef } from 'react'
import type { PageProps } from '../../page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { usePlace } from '../../router.tsx'
import { type NotKept, useCount, useMonitor } from './api.ts'
import { CallPage } from './call-page.tsx'
import { Filters } from './filters.tsx'
import { ListFoot, ListHead } from './list-frame.tsx'
import { useNeighbours } from './neighbours.tsx'
import { readFilter } from './read-filter.ts'
import { sinceOf } from './since.ts'
import { TransactionTable } from './transaction-table.tsx'
import { useLiveList } from './use-live-list.ts'

export default function Monitor({ id }: PageProps) {
  const monitor = useMonitor()
  return (
    <>
      {id === '' && <PageHead />}
      <Loaded query={monitor}>
        {({ isOn, minDurations, ...extent }) =>
          isOn ? (
            <Transactions extent={extent} minDurations={minDurations} opened={id} />
          ) : (
            <Alert color="gray" role="status" title="The monitor is off">
              No calls are kept. Set ig.monitor=on and restart the gateway.
            </Alert>
          )
        }
      </Loaded>
    </>
  )
}

interface Props {
  readonly extent: { readonly transactions: number; readonly oldest: string | null }
  readonly minDurations: readonly number[]
  readonly opened: string
}

function Transactions({ extent, minDurations, opened }: Props) {
  const { query } = usePlace()
  const last = query.get('last') ?? ''
  const since = useMemo(() => sinceOf(last), [last]) // the list does not move while it is read
  const filter = readFilter(query, since)
  const list = useLiveList(filter)
  const matches = useCount(filter).data
  const search = query.size === 0 ? '' : `?${query}`
  const neighbours = useNeighbours(list, opened, search)
  const frame = useListPlace(opened)
  return (
    <>
      <div ref={frame} hidden={opened !== ''}>
        <Stack>
          <Filters minDurations={minDurations} />
          <ListHead extent={extent} list={list} matches={matches} />
          <Loaded query={list.query}>
            {({ items, notKept }) => (
              <>
                <Missing notKept={notKept} />
                {items.length > 0 && <TransactionTable filter={filter} items={items} search={search} />}
                <ListFoot list={list} isEmpty={items.length === 0} isFiltered={Object.keys(filter).length > 0} />
              </>
            )}
          </Loaded>
        </Stack>
      </div>
      {opened !== '' && <CallPage transactionId={opened} neighbours={neighbours} search={search} />}
    </>
  )
}

/** The list is where it was when a call is left, with the focus on that call. */
function useListPlace(opened: string) {
  const frame = useRef<HTMLDivElement>(null)
  const left = useRef({ id: '', top: 0 })
  useLayoutEffect(() => {
    const main = document.getElementById('main')
    if (opened !== '') {
      if (left.current.id === '') main?.focus({ preventScroll: true })
      left.current.id = opened
      scrollTo({ top: 0 })
      return
    }
    if (left.current.id !== '') {
      scrollTo({ top: left.current.top })
      const link = frame.current?.querySelector<HTMLElement>(
        `a[href*="${CSS.escape(encodeURIComponent(left.current.id))}"]`,
      )
      const focused = link ?? main
      focused?.focus({ preventScroll: link === null })
      left.current.id = ''
    }
    const note = () => {
      left.current.top = scrollY
    }
    addEventListener('scroll', note, { passive: true })
    return () => removeEventListener('scroll', note)
  }, [opened])
  return frame
}

/** Warns that the list is incomplete. */
function Missing({ notKept: { done, error, reasons } }: { readonly notKept: NotKept }) {
  if (done + error === 0) return null
  const why = reasons.map((reason) => reasonWords[reason]).join(', and ')
  return (
    <Alert
      color="refused"
      role="status"
      title="Some calls were not kept"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Text size="sm">
        {(done + error).toLocaleString('en')} calls of this period are missing, {error.toLocaleString('en')} of them
        with status Error: {why}.
      </Text>
    </Alert>
  )
}

const reasonWords: Readonly<Record<NotKept['reasons'][number], string>> = {
  rate: 'the rate exceeded ig.monitor.perSecond',
  database: 'the database of the monitor was unavailable',
}
