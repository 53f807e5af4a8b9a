/** Called operations, sorted by calls, failures or duration. */
import { Group, Paper, SegmentedControl, Text, Title } from '@mantine/core'
import { pathOfFigures } from '../../lists.ts'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import { Link, useParameter, usePlace } from '../../router.tsx'
import type { History, OperationFigures } from './api.ts'
import { showNumber } from './chart/scale.ts'
import { showMilliseconds, showShare } from './charts.tsx'
import { groupNames } from './show.ts'

export const sortings = [
  { value: 'calls', label: 'Most called' },
  { value: 'failed', label: 'Most failures' },
  { value: 'mean', label: 'Slowest' },
] as const

export function OperationTable({ found }: { readonly found: History }) {
  const { operations, operationCount, isCut } = found
  const [sort, setSort] = useParameter('sort')
  const search = useSpan()
  return (
    <Paper withBorder p="sm" component="section" aria-label="Called operations">
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2}>Operations</Title>
        <SegmentedControl
          aria-label="Sort by"
          size="xs"
          data={[...sortings]}
          value={sortings.find(({ value }) => value === sort)?.value ?? 'calls'}
          onChange={(next) => setSort(next === 'calls' ? '' : next)}
        />
      </Group>
      <DataTable
        isPlain
        label="Operations"
        columns={columnsWith(search)}
        rows={operations}
        keyOf={({ operation }) => operation}
        linkOf={({ operation }) => pathOfFigures(operation, search)}
      />
      {operationCount > operations.length && (
        <Text size="sm" c="dimmed" mt="xs">
          Showing {operations.length} of {operationCount.toLocaleString('en')} called operations.
        </Text>
      )}
      {isCut && (
        <Text size="sm" c="dimmed" mt="xs">
          So many operations were called that some steps have only the most called ones; the rest is in “Other
          operations”.
        </Text>
      )}
    </Paper>
  )
}

/** The time span of this page, for links that keep it. */
export function useSpan(): string {
  const { query } = usePlace()
  const kept = new URLSearchParams([...query].filter(([name]) => ['range', 'from', 'to'].includes(name)))
  return kept.size === 0 ? '' : `?${kept}`
}

const showKnown = (value: number | null, show: (value: number) => string) => (value === null ? '–' : show(value))

function columnsWith(search: string): readonly Column<OperationFigures>[] {
  return [
    {
      title: 'Operation',
      show: ({ operation }) => (
        <Link to={pathOfFigures(operation, search)} size="sm">
          {groupNames[operation] ?? breakLongWords(operation)}
        </Link>
      ),
    },
    { title: 'Per second', isNumber: true, isOnlyWide: true, show: ({ perSecond }) => showNumber(perSecond) },
    { title: 'Calls', isNumber: true, show: ({ calls }) => calls.toLocaleString('en') },
    { title: 'Refused', isNumber: true, isOnlyWide: true, show: ({ refused }) => refused.toLocaleString('en') },
    { title: 'Failures', isNumber: true, isOnlyWide: true, show: ({ failed }) => failed.toLocaleString('en') },
    { title: 'Failed', isNumber: true, show: ({ failureRate }) => showKnown(failureRate, showShare) },
    { title: 'Mean', isNumber: true, show: ({ mean }) => showKnown(mean, showMilliseconds) },
    { title: 'p95', isNumber: true, isOnlyWide: true, show: ({ p95 }) => showKnown(p95, showMilliseconds) },
    { title: 'Longest', isNumber: true, isOnlyWide: true, show: ({ longest }) => showKnown(longest, showMilliseconds) },
    {
      title: 'From cache',
      isNumber: true,
      isOnlyWide: true,
      show: ({ cacheHitRate }) => showKnown(cacheHitRate, showShare),
    },
  ]
}
