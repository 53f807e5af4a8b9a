/** The latest entries of message log and error log, always shown as text (specification 18.28). */
import { Group, SegmentedControl, Select, Stack, Switch } from '@mantine/core'
import { type LogEntry, type LogLevel, useLog } from '../api/running.ts'
import type { Column } from '../parts/column.ts'
import { DataTable } from '../parts/data-table.tsx'
import { LevelBadge } from '../parts/level-badge.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { TextFilter } from '../parts/text-filter.tsx'
import { TimeFilter } from '../parts/time-filter.tsx'
import { Link, useParameter, usePlace } from '../router.tsx'
import { EntryDrawer } from './logs/entry-drawer.tsx'

const levels: readonly LogLevel[] = ['exception', 'error', 'warning', 'information', 'debug']

export default function Logs() {
  const { query: filters } = usePlace()
  const [log, setLog] = useParameter('log')
  const [level, setLevel] = useParameter('level')
  const [live, setLive] = useParameter('live')
  const [opened, open] = useParameter('entry')
  const known = levels.find((candidate) => candidate === level)
  const texts = ['search', 'transaction', 'from', 'to'].flatMap((name) => {
    const value = filters.get(name)
    return value ? [[name, value]] : []
  })
  const query = useLog(
    log === 'error' ? 'error' : 'message',
    { ...(known && { level: known }), ...Object.fromEntries(texts) },
    live === 'yes',
  )
  const linkOf = (entry: LogEntry) => {
    const next = new URLSearchParams(filters)
    next.set('entry', keyOf(entry))
    return `/logs?${next}`
  }
  const columns: readonly Column<LogEntry>[] = [
    {
      title: 'Time',
      value: ({ time }) => time,
      show: (entry) => (
        <Link to={linkOf(entry)} aria-current={keyOf(entry) === opened ? 'true' : undefined}>
          <Moment time={entry.time} hasMilliseconds isAbsolute isShort />
        </Link>
      ),
    },
    ...fixed,
  ]
  return (
    <>
      <PageHead />
      <Stack>
        <Group gap="sm" align="flex-end">
          <SegmentedControl
            aria-label="Log"
            data={[
              { value: 'message', label: 'Messages' },
              { value: 'error', label: 'Errors' },
            ]}
            value={log === 'error' ? 'error' : 'message'}
            onChange={(next) => setLog(next === 'error' ? 'error' : '')}
          />
          <Select
            aria-label="Minimum level"
            placeholder="Minimum level"
            data={[...levels]}
            value={known ?? null}
            onChange={(next) => setLevel(next ?? '')}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear level' }}
            w={170}
          />
          <TextFilter name="search" label="Search text" />
          <TextFilter name="transaction" label="Id of the call" />
          <Group gap="sm" align="flex-end">
            <TimeFilter name="from" label="From" />
            <TimeFilter name="to" label="Until" />
            <Switch
              label="Follow"
              checked={live === 'yes'}
              onChange={(event) => setLive(event.currentTarget.checked ? 'yes' : '')}
              pb={8}
            />
          </Group>
        </Group>
        <Loaded query={query} empty="No log entries match.">
          {({ items }) => (
            <>
              <DataTable
                label="Log entries"
                isPart
                isStacked
                columns={columns}
                rows={items}
                keyOf={(entry) => `${keyOf(entry)} ${entry.text}`}
                linkOf={linkOf}
              />
              <EntryDrawer
                entry={items.find((entry) => keyOf(entry) === opened)}
                isOpen={opened !== ''}
                onClose={() => open('')}
              />
            </>
          )}
        </Loaded>
      </Stack>
    </>
  )
}

/** Entries have no id: the time has milliseconds, and a call has one entry in a log. */
function keyOf({ time, transactionId }: LogEntry): string {
  return transactionId === null ? time : `${time} ${transactionId}`
}

function showName(name: string | null) {
  return (
    name !== null && (
      <div className="one-line" title={name}>
        {name}
      </div>
    )
  )
}

const fixed: readonly Column<LogEntry>[] = [
  {
    title: 'Level',
    value: ({ level }) => level,
    show: ({ level }) => <LevelBadge level={level} />,
  },
  {
    title: 'Operation',
    isOnlyWide: true,
    value: ({ operation }) => operation,
    show: ({ operation }) => showName(operation),
  },
  {
    title: 'Caller',
    isOnlyWide: true,
    value: ({ operator }) => operator,
    show: ({ operator }) => showName(operator),
  },
  {
    title: 'Text',
    value: ({ text }) => text,
    show: ({ text }) => <div className="log-line">{text}</div>,
  },
]
