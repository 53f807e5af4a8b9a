/** Called operations, sorted by calls, failures or latency. */
import { Group, Paper, SegmentedControl, Text, Title } from '@mantine/core'
import type { OperationFigures, Statistics } from '../../api/statistics.ts'
import { showNumber } from '../../parts/chart/scale.ts'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import { Link, useParameter } from '../../router.tsx'
import { showMilliseconds, showShare } from './charts.tsx'

export const sortings = [
  { value: 'calls', label: 'Most called' },
  { value: 'failed', label: 'Most failures' },
  { value: 'p95', label: 'Slowest' },
] as const

export function OperationTable({ found: { operations, operationCount } }: { readonly found: Statistics }) {
  const [sort, setSort] = useParameter('sort')
  return (
    <Paper withBorder p="sm" component="section" aria-label="Called operations">
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2}>Operations</Title>
        <SegmentedControl
          aria-label="Sort by"
          size="xs"
          data={[...sortings]}
          value={sort || 'calls'}
          onChange={(next) => setSort(next === 'calls' ? '' : next)}
        />
      </Group>
      <DataTable isPlain label="Operations" columns={columns} rows={operations} keyOf={({ operation }) => operation} />
      {operationCount > operations.length && (
        <Text size="sm" c="dimmed" mt="xs">
          Showing {operations.length} of {operationCount.toLocaleString('en')} called operations.
        </Text>
      )}
    </Paper>
  )
}

const showKnown = (value: number | null, show: (value: number) => string) => (value === null ? '–' : show(value))

const columns: readonly Column<OperationFigures>[] = [
  {
    title: 'Operation',
    show: ({ operation }) => (
      <Link to={`/overview?operation=${encodeURIComponent(operation)}`} size="sm">
        {others[operation] ?? breakLongWords(operation)}
      </Link>
    ),
  },
  { title: 'Per second', isNumber: true, show: ({ perSecond }) => showNumber(perSecond) },
  { title: 'Calls', isNumber: true, isOnlyWide: true, show: ({ calls }) => calls.toLocaleString('en') },
  { title: 'Failed', isNumber: true, show: ({ failed }) => failed.toLocaleString('en') },
  { title: 'p50', isNumber: true, isOnlyWide: true, show: ({ p50 }) => showKnown(p50, showMilliseconds) },
  { title: 'p95', isNumber: true, show: ({ p95 }) => showKnown(p95, showMilliseconds) },
  { title: 'p99', isNumber: true, isOnlyWide: true, show: ({ p99 }) => showKnown(p99, showMilliseconds) },
  {
    title: 'From cache',
    isNumber: true,
    isOnlyWide: true,
    show: ({ cacheHitRate }) => showKnown(cacheHitRate, showShare),
  },
]

/** Labels of groups that are not operations. */
const others: Readonly<Record<string, string>> = {
  '(unknown)': 'Unknown operations',
  '(description)': 'API descriptions',
  '(options)': 'OPTIONS requests',
  '(others)': 'Other operations',
}
