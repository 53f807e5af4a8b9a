/** The instances of the cluster with their active revision and state. */
import { Alert, Badge, Paper, Text, Title } from '@mantine/core'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'
import { doubtful, good } from '../../theme.ts'
import { type Instance, useInstances } from './api.ts'

interface Row extends Instance {
  readonly secondsSilent: number
}

export function Instances() {
  const instances = useInstances()
  return (
    <Paper withBorder p="sm" component="section" aria-label="Instances of the cluster">
      <Title order={2} mb="xs">
        Instances
      </Title>
      <Loaded query={instances}>
        {({ items, isPartial }) => {
          // Uses the instances' clock, because the browser's may differ
          const now = Math.max(...items.map(({ seen }) => Date.parse(seen)))
          const rows = items.map((item) => ({
            ...item,
            secondsSilent: Math.round((now - Date.parse(item.seen)) / 1000),
          }))
          return (
            <>
              {isPartial && (
                <Alert color="yellow" role="status" mb="xs">
                  The database is not responding. The state of other instances is unknown.
                </Alert>
              )}
              <DataTable isPlain isStacked label="Instances" columns={columns} rows={rows} keyOf={({ id }) => id} />
            </>
          )
        }}
      </Loaded>
    </Paper>
  )
}

const states: Readonly<Record<Instance['state'], { readonly colour: string; readonly words: string }>> = {
  current: { colour: good, words: 'up to date' },
  behind: { colour: doubtful, words: 'different revision' },
  missing: { colour: 'failed', words: 'not responding' },
}

const columns: readonly Column<Row>[] = [
  {
    title: 'Instance',
    show: ({ host, url, isThis }) => (
      <>
        <Text size="sm" fw={isThis ? 600 : undefined}>
          {host}
          {isThis && ' (this one)'}
        </Text>
        <Text size="xs" c="dimmed" className="mono">
          {url}
        </Text>
      </>
    ),
  },
  {
    title: 'State',
    show: ({ state }) => (
      <Badge color={states[state].colour} style={{ minWidth: 'max-content' }}>
        {states[state].words}
      </Badge>
    ),
  },
  {
    title: 'Revision',
    isNumber: true,
    show: ({ revision }) =>
      revision === null ? (
        'files'
      ) : (
        <Link to={`/revisions/${revision}`} size="sm">
          {revision}
        </Link>
      ),
  },
  {
    title: 'Conditions',
    show: ({ conditions }) =>
      conditions.map(({ process, name, detail }) => (
        <Text key={`${process} ${name}`} size="xs">
          {detail} (process {process})
        </Text>
      )),
  },
  { title: 'Processes', isNumber: true, isOnlyWide: true, show: ({ processes }) => processes },
  { title: 'Version', isOnlyWide: true, show: ({ version }) => version },
  { title: 'Started', isOnlyWide: true, show: ({ started }) => showTime(started) },
  {
    title: 'Last seen',
    isNumber: true,
    isOnlyWide: true,
    show: ({ secondsSilent }) => (secondsSilent < 5 ? 'now' : `${secondsSilent} s ago`),
  },
]
