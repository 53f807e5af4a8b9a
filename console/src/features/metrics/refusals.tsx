/** Refusals by code: number, share and distribution, with links to the monitor. */
import { Paper, Text, Title } from '@mantine/core'
import type { RefusalCode } from '../../../../src/model/refusal.ts'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { meaningOf } from '../../refusals.ts'
import type { History } from './api.ts'
import { Columns } from './chart/columns.tsx'
import { showShare } from './charts.tsx'
import { layOut } from './steps.ts'

interface Row {
  readonly code: string
  readonly count: number
  readonly share: number
  readonly over: readonly number[]
  readonly link: string
}

interface Props {
  readonly found: History
  linkTo(filter: Readonly<Record<string, string>>): string
}

export function Refusals({ found, linkTo }: Props) {
  const { points } = layOut(found)
  const rows = Object.entries(found.total.refusals).map(
    ([code, count]): Row => ({
      code,
      count,
      share: found.total.calls === 0 ? 0 : count / found.total.calls,
      over: points.map((point) => point?.refusals[code] ?? 0),
      link: linkTo({ refusal: code }),
    }),
  )
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
        <FeatureLink isTextElse to={link} size="sm">
          {code}
        </FeatureLink>
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
