/** Charts of calls by outcome and of latency, with yesterday and marks; the pointer is shown in both. */
import { SimpleGrid } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { History, Point } from './api.ts'
import { ChartFrame } from './chart/chart-frame.tsx'
import { fillOf, lineOf, Patterns } from './chart/key.tsx'
import { Layers } from './chart/layers.tsx'
import { drawBand, drawLine, Lines } from './chart/lines.tsx'
import type { Mark } from './chart/marks.ts'
import { linearScale, logScale, showNumber } from './chart/scale.ts'
import type { Look, Series } from './chart/series.ts'
import { MarkCard } from './home/mark-card.tsx'
import { layOut, placeBefore } from './steps.ts'
import { setTimes } from './use-range.ts'

export const showMilliseconds = (value: number) => `${showNumber(value)} ms`
export const showShare = (value: number) => `${showNumber(value * 100)} %`

interface Props {
  readonly found: History
  readonly isNow: boolean
  /** The same span a day before; undefined until it is known. */
  readonly before: History | undefined
  /** `yesterday` */
  readonly beforeLabel: string
  readonly marks: readonly Mark[]
  onRollBack(to: number): void
}

export function Charts({ found, isNow, before, beforeLabel, marks, onRollBack }: Props) {
  const { times, points } = useMemo(() => layOut(found), [found])
  const earlier = useMemo(() => placeBefore(times, before), [times, before])
  const [pointed, setPointed] = useState<number>()
  const of = (label: string, look: Look | undefined, value: (point: Point) => number | null): Series => ({
    label,
    ...(look !== undefined && { look }),
    values: points.map((point) => (point ? value(point) : null)),
  })
  const perSecond = (part: (point: Point) => number) => (point: Point) =>
    point.calls === 0 ? 0 : (point.perSecond * part(point)) / point.calls
  const ofBefore = (what: string, value: (point: Point) => number | null): Series => ({
    label: `${what} ${beforeLabel}`,
    look: 'yesterday',
    values: earlier.map((point) => (point ? value(point) : null)),
  })
  const shared = {
    times,
    stepSeconds: found.stepSeconds,
    isNow,
    pointed,
    onPoint: setPointed,
    marks,
    ...(found.stepSeconds >= 60 && { onZoom: setTimes }),
  }
  const { total } = found
  const layer = (label: string, look: Look, part: (point: Point) => number) => of(label, look, perSecond(part))
  const layers = [
    layer('Failed', 'failed', ({ failed }) => failed),
    layer('Refused', 'refused', ({ refused }) => refused),
    layer('Slow', 'slow', ({ slow }) => slow),
    layer('Cached', 'cached', ({ cacheHits }) => cacheHits),
    layer('Served', 'served', ({ calls, refused, failed, slow, cacheHits }) =>
      Math.max(0, calls - refused - failed - slow - cacheHits),
    ),
  ]
  const all = of('All', undefined, ({ perSecond }) => perSecond)
  const callsBefore = ofBefore('All', ({ perSecond }) => perSecond)
  const share = (label: string, value: (point: Point) => number | null): Series => ({
    ...of(label, undefined, value),
    isInTableOnly: true,
    show: showShare,
  })
  const [p50, p95, p99] = [
    of('p50', 1, (point) => point.p50),
    of('p95', 2, (point) => point.p95),
    of('p99', 3, (point) => point.p99),
  ]
  const latencyBefore = ofBefore('p95', (point) => point.p95)
  const latencies = [p50, p95, p99, latencyBefore]
  return (
    <>
      <Patterns />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" className="chart-row">
        <ChartFrame
          {...shared}
          title="Calls per second"
          show={showNumber}
          showMark={(mark, close) => <MarkCard mark={mark} onFollow={close} onRollBack={onRollBack} />}
          series={[
            all,
            ...layers.toReversed(),
            callsBefore,
            share('Failure rate', ({ failureRate }) => failureRate),
            ...(total.cacheHitRate === null ? [] : [share('Cache hit rate', ({ cacheHitRate }) => cacheHitRate)]),
          ]}
          scale={linearScale(
            Math.max(...[all, callsBefore].flatMap(({ values }) => values.map((value) => value ?? 0))),
          )}
          draw={({ x, y, each }) => (
            <>
              <Layers layers={layers} each={each} x={x} y={y} />
              <path d={drawLine(callsBefore.values, x, y)} {...lineOf('yesterday')} />
            </>
          )}
        />
        <ChartFrame
          {...shared}
          title="Latency in ms"
          show={showNumber}
          series={latencies}
          scale={logScale(latencies.flatMap(({ values }) => values))}
          draw={({ x, y }) => (
            <>
              <path d={drawLine(latencyBefore.values, x, y)} {...lineOf('yesterday')} />
              <path d={drawBand(p95.values, p50.values, x, y)} fill={fillOf('band')} />
              <Lines series={[p50, p95, p99]} x={x} y={y} />
            </>
          )}
        />
      </SimpleGrid>
    </>
  )
}
