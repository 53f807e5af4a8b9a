/** Two short tables of a time span: statuses over time, and the most frequent callers. */
import { Paper, Text, Title } from '@mantine/core'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import type { History } from './api.ts'
import { Columns } from './chart/columns.tsx'
import { showShare } from './charts.tsx'
import { layOut } from './steps.ts'

interface Props {
  readonly found: History
  /** A page of the monitor with these filters, of the same operation and time span. */
  linkTo(filter: Readonly<Record<string, string>>): string
}

interface Status {
  readonly status: string
  readonly count: number
  readonly share: number
  readonly over: readonly number[]
  readonly link: string
}

export function Statuses({ found, linkTo }: Props) {
  const { points } = layOut(found)
  const rows = Object.entries(found.total.statuses).map(
    ([status, count]): Status => ({
      status,
      count,
      share: count / found.total.calls,
      over: points.map((point) => point?.statuses[status] ?? 0),
      link: linkTo({ httpStatus: status }),
    }),
  )
  return (
    <Paper withBorder p="sm" component="section" aria-label="Status codes">
      <Title order={2} mb="xs">
        Status codes
      </Title>
      <DataTable isPlain label="Statuses" columns={statusColumns} rows={rows} keyOf={({ status }) => status} />
    </Paper>
  )
}

const statusColumns: readonly Column<Status>[] = [
  {
    title: 'Status',
    show: ({ status, link }) => (
      <FeatureLink isTextElse to={link} size="sm" className="numbers">
        {status}
      </FeatureLink>
    ),
  },
  { title: 'Calls', isNumber: true, show: ({ count }) => count.toLocaleString('en') },
  { title: 'Share', isNumber: true, show: ({ share }) => showShare(share) },
  { title: 'Over time', isOnlyWide: true, show: ({ over }) => <Columns values={over} /> },
]

interface Caller {
  readonly operator: string | null
  readonly calls: number
  readonly share: number
}

const callersShown = 10

export function TopCallers({ found, linkTo }: Props) {
  const { callers, otherCallers, total } = found
  const rows = callers
    .slice(0, callersShown)
    .map((caller): Caller => ({ ...caller, share: total.calls === 0 ? 0 : caller.calls / total.calls }))
  const rest = callers.slice(callersShown).reduce((sum, { calls }) => sum + calls, otherCallers)
  const columns: readonly Column<Caller>[] = [
    {
      title: 'Caller',
      show: ({ operator }) =>
        operator === null ? (
          <Text size="sm" c="dimmed">
            not recognized
          </Text>
        ) : (
          <FeatureLink isTextElse to={linkTo({ operator })} size="sm">
            {breakLongWords(operator)}
          </FeatureLink>
        ),
    },
    { title: 'Calls', isNumber: true, show: ({ calls }) => calls.toLocaleString('en') },
    { title: 'Share', isNumber: true, show: ({ share }) => showShare(share) },
  ]
  return (
    <Paper withBorder p="sm" component="section" aria-label="Top callers">
      <Title order={2} mb="xs">
        Top callers
      </Title>
      <DataTable isPlain label="Callers" columns={columns} rows={rows} keyOf={({ operator }) => operator ?? ''} />
      {rest > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {rest.toLocaleString('en')} calls by others.
        </Text>
      )}
    </Paper>
  )
}
