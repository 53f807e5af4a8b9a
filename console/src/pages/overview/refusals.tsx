/** Refusals by code: number, share and distribution, with links to the monitor. */
import { Paper, Text, Title } from '@mantine/core'
import type { RefusalCode } from '../../api/monitor.ts'
import type { Statistics } from '../../api/statistics.ts'
import { Columns } from '../../parts/chart/columns.tsx'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { meaningOf } from '../../refusals.ts'
import { Link } from '../../router.tsx'
import { showShare } from './charts.tsx'

interface Row {
  readonly code: string
  readonly count: number
  readonly share: number
  readonly over: readonly number[]
  readonly link: string
}

interface Props {
  readonly found: Statistics
  readonly operation: string
}

export function Refusals({ found: { total, points }, operation }: Props) {
  const rows = Object.entries(total.refusals).map(([code, count]): Row => {
    const query = new URLSearchParams({ refusal: code, ...(operation !== '' && { operation }) })
    return {
      code,
      count,
      share: total.calls === 0 ? 0 : count / total.calls,
      over: points.map(({ refusals }) => refusals[code] ?? 0),
      link: `/monitor?${query}`,
    }
  })
  return (
    <Paper withBorder p="sm" component="section" aria-label="Refusals by code">
      <Title order={2} mb="xs">
        Refusals by code
      </Title>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          No refusals.
        </Text>
      ) : (
        <DataTable isPlain label="Refusals" columns={columns} rows={rows} keyOf={({ code }) => code} />
      )}
    </Paper>
  )
}

const columns: readonly Column<Row>[] = [
  {
    title: 'Refusal',
    show: ({ code, link }) => (
      <>
        <Link to={link} size="sm">
          {code}
        </Link>
        <Text size="xs" c="dimmed">
          {meaningOf(code as RefusalCode)}
        </Text>
      </>
    ),
  },
  { title: 'Calls', isNumber: true, show: ({ count }) => count.toLocaleString('en') },
  { title: 'Share', isNumber: true, show: ({ share }) => showShare(share) },
  { title: 'Over time', isOnlyWide: true, show: ({ over }) => <Columns values={over} /> },
]
