/** Charts of requests per second, latency, failure rate and cache hits; the pointer is shown in all of them. */
import { SimpleGrid } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { History, Point } from './api.ts'
import { LineChart } from './chart/line-chart.tsx'
import { showNumber } from './chart/scale.ts'
import { layOut } from './steps.ts'
import { setTimes } from './use-range.ts'

export const showMilliseconds = (value: number) => `${showNumber(value)} ms`
export const showShare = (value: number) => `${showNumber(value * 100)} %`

interface Props {
  readonly found: History
  readonly isNow: boolean
}

export function Charts({ found, isNow }: Props) {
  const { times, points } = useMemo(() => layOut(found), [found])
  const [pointed, setPointed] = useState<number>()
  const line = (label: string, value: (point: Point) => number | null) => ({
    label,
    values: points.map((point) => (point ? value(point) : null)),
  })
  const isZoomable = found.stepSeconds >= 60
  const shared = {
    times,
    stepSeconds: found.stepSeconds,
    isNow,
    pointed,
    onPoint: setPointed,
    ...(isZoomable && { onZoom: setTimes }),
  }
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: 'start' }}>
      <LineChart
        {...shared}
        title="Requests per second"
        show={showNumber}
        series={[
          line('All', ({ perSecond }) => perSecond),
          line('Refused', ({ perSecond, refused, calls }) => (calls === 0 ? 0 : (perSecond * refused) / calls)),
          line('Failed', ({ perSecond, failed, calls }) => (calls === 0 ? 0 : (perSecond * failed) / calls)),
        ]}
      />
      <LineChart
        {...shared}
        title="Latency in ms"
        show={showNumber}
        series={[line('p50', ({ p50 }) => p50), line('p95', ({ p95 }) => p95), line('p99', ({ p99 }) => p99)]}
      />
      <LineChart
        {...shared}
        title="Failure rate"
        show={showShare}
        series={[line('Share of calls that were not refused', ({ failureRate }) => failureRate)]}
      />
      <LineChart
        {...shared}
        title="Cache hit rate"
        show={showShare}
        highest={1}
        series={[line('Share of cacheable calls', ({ cacheHitRate }) => cacheHitRate)]}
      />
    </SimpleGrid>
  )
}
