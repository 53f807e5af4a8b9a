/** Memory and event-loop delay of the instances over time; of more than three, those with the highest values. */
import { SimpleGrid, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { History } from './api.ts'
import { LineChart } from './chart/line-chart.tsx'
import { showNumber } from './chart/scale.ts'
import type { Series } from './chart/series.ts'
import { setTimes } from './use-range.ts'

type Instance = History['instances'][number]
type InstancePoint = Instance['points'][number]

/** The number of line styles. */
const maxInstances = 3
const minute = 60_000

interface Props {
  readonly found: History
  readonly isNow: boolean
}

export function InstanceCharts({ found, isNow }: Props) {
  const [pointed, setPointed] = useState<number>()
  // The last minutes have steps of seconds, but instances by minute.
  const step = Math.max(minute, found.stepSeconds * 1000)
  const times = useMemo(() => {
    const first = Math.floor(Date.parse(found.from) / step) * step
    const count = Math.max(1, Math.floor((Date.parse(found.to) - first) / step))
    return Array.from({ length: count }, (_, at) => new Date(first + at * step).toISOString())
  }, [found.from, found.to, step])
  if (found.instances.length === 0) return null
  const draw = (value: (point: InstancePoint) => number | null) => drawInstances(found.instances, times, value)
  const shared = {
    times,
    stepSeconds: step / 1000,
    isNow,
    pointed,
    onPoint: setPointed,
    ...(found.stepSeconds >= 60 && { onZoom: setTimes }),
  }
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: 'start' }}>
        <LineChart
          {...shared}
          title="Memory in MiB"
          show={showNumber}
          series={draw(({ memory }) => (memory === null ? null : memory / 1024 ** 2))}
        />
        <LineChart {...shared} title="Event-loop delay in ms" show={showNumber} series={draw(({ delay }) => delay)} />
      </SimpleGrid>
      {found.instances.length > maxInstances && (
        <Text size="sm" c="dimmed">
          Showing the {maxInstances} instances with the highest values of {found.instances.length}.
        </Text>
      )}
    </>
  )
}

function drawInstances(
  instances: readonly Instance[],
  times: readonly string[],
  value: (point: InstancePoint) => number | null,
): readonly Series[] {
  return instances
    .map(({ id, points }) => {
      const known = new Map(points.map((point) => [Date.parse(point.time), value(point)]))
      return { label: id, values: times.map((time) => known.get(Date.parse(time)) ?? null) }
    })
    .toSorted((one, other) => highestOf(other) - highestOf(one))
    .slice(0, maxInstances)
    .toSorted((one, other) => (one.label < other.label ? -1 : 1)) // the same line in both charts
}

function highestOf({ values }: Series): number {
  return Math.max(0, ...values.map((value) => value ?? 0))
}
