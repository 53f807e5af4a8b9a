/** Charts of requests per second, latency and cache hits in the last minutes. */
import { SimpleGrid } from '@mantine/core'
import type { Point, Statistics } from '../../api/statistics.ts'
import { LineChart } from '../../parts/chart/line-chart.tsx'
import { showNumber } from '../../parts/chart/scale.ts'

export const showMilliseconds = (value: number) => `${showNumber(value)} ms`
export const showShare = (value: number) => `${showNumber(value * 100)} %`

export function Charts({ found: { points, stepSeconds } }: { readonly found: Statistics }) {
  const times = points.map(({ time }) => time)
  const line = (label: string, value: (point: Point) => number | null) => ({ label, values: points.map(value) })
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md" style={{ alignItems: 'start' }}>
      <LineChart
        title="Requests per second"
        show={showNumber}
        times={times}
        series={[line('All', ({ perSecond }) => perSecond), line('Failed', ({ failed }) => failed / stepSeconds)]}
      />
      <LineChart
        title="Latency in ms"
        show={showNumber}
        times={times}
        series={[line('p50', ({ p50 }) => p50), line('p95', ({ p95 }) => p95), line('p99', ({ p99 }) => p99)]}
      />
      <LineChart
        title="Cache hit rate"
        show={showShare}
        times={times}
        highest={1}
        series={[line('Share of cacheable calls', ({ cacheHitRate }) => cacheHitRate)]}
      />
    </SimpleGrid>
  )
}
