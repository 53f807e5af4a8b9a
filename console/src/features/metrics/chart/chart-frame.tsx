/**
 * The frame of a chart over time: legend, axes, marks, and what is drawn in it. A tip and the legend show the values
 * under the pointer; dragging zooms; screen readers get a summary, and a table has the same numbers.
 */
import { Group, Paper, Text, Title } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, type ReactNode, useMemo, useState } from 'react'
import { useZone, writeTime } from '../../../parts/moment.tsx'
import { Flags, flagSize } from './flags.tsx'
import { Key } from './key.tsx'
import { gatherMarks, type Mark } from './marks.ts'
import { Numbers } from './numbers.tsx'
import type { Scale } from './scale.ts'
import type { Series } from './series.ts'
import { timeTicks } from './time-ticks.ts'
import { Tip } from './tip.tsx'

/** What the charts of a page have in common. */
export interface TimeAxis {
  /** The start of each step. */
  readonly times: readonly string[]
  readonly stepSeconds: number
  /** Whether the last step is the present. */
  readonly isNow: boolean
  /** The step under the pointer, of this chart or of one beside it. */
  readonly pointed: number | undefined
  onPoint(at: number | undefined): void
  /** Called with the dragged time span; without it dragging does nothing. */
  onZoom?(from: string, to: string): void
  readonly marks?: readonly Mark[]
  /** The card of a mark. Without it the marks are lines only. */
  showMark?(mark: Mark, close: () => void): ReactNode
}

/** Pixels. */
export interface Plot {
  /** The middle of a step, and its width. */
  x(at: number): number
  readonly each: number
  y(value: number): number
}

interface Props extends TimeAxis {
  readonly title: string
  /** `2.4`, `30 %`: short, because the title has the unit. */
  show(value: number): string
  readonly scale: Scale
  readonly series: readonly Series[]
  draw(plot: Plot): ReactNode
}

const plotHeight = 172
const margin = { left: 52, right: 8, bottom: 20 }

export function ChartFrame(props: Props) {
  const { title, show, times, stepSeconds, isNow, pointed, onPoint, onZoom, scale, series, draw } = props
  const { marks, showMark } = props
  const { ref, width } = useElementSize()
  const zone = useZone()
  const [isHere, setIsHere] = useState(false)
  const [dragged, setDragged] = useState<number>()
  const top = marks ? flagSize + 4 : 8
  const bottom = top + plotHeight - margin.bottom
  const inner = Math.max(0, width - margin.left - margin.right)
  const each = inner / Math.max(1, times.length)
  const ticks = useMemo(() => timeTicks(times, Math.max(1, inner / 60), zone), [times, inner, zone])
  const x = (at: number) => margin.left + (at + 0.5) * each
  const y = (value: number) => bottom - scale.place(value) * (bottom - top)
  const begin = Date.parse(times[0] ?? '')
  const span = times.length * stepSeconds * 1000
  const xOf = (time: number) => margin.left + Math.min(1, Math.max(0, (time - begin) / span)) * inner
  const seen = (marks ?? []).filter(({ from, to = from }) => to >= begin && from < begin + span)
  const shown = pointed !== undefined && pointed < times.length ? pointed : undefined
  const at = shown ?? times.length - 1
  const isLong = stepSeconds >= 60
  const clock = (time: string | number) => {
    const text = writeTime(new Date(time), zone)
    return isLong ? text.slice(0, 16) : text.slice(11)
  }
  const stepAt = ({ clientX, currentTarget }: PointerEvent) => {
    const left = currentTarget.getBoundingClientRect().left + margin.left
    return Math.min(times.length - 1, Math.max(0, Math.floor((clientX - left) / Math.max(0.1, each))))
  }
  const point = (event: PointerEvent) => {
    setIsHere(true)
    onPoint(stepAt(event))
  }
  const press = (event: PointerEvent) => {
    if (!onZoom || event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    setDragged(stepAt(event))
  }
  const release = (event: PointerEvent) => {
    setDragged(undefined)
    if (dragged === undefined || !onZoom) return
    const [first, last] = [dragged, stepAt(event)].sort((one, other) => one - other) as [number, number]
    if (last === first) return
    onPoint(undefined)
    onZoom(times[first] ?? '', new Date(Date.parse(times[last] ?? '') + stepSeconds * 1000).toISOString())
  }
  const leave = () => {
    setIsHere(false)
    onPoint(undefined)
  }
  const valueAt = ({ values, show: own = show }: Series, place: number) => {
    const value = values[place]
    return value === null || value === undefined ? '–' : own(value)
  }
  const whole = series.find(({ look, isInTableOnly = false }) => look === undefined && !isInTableOnly)
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Title order={3}>{title}</Title>
        <Text size="xs" c="dimmed" className="numbers">
          {whole && `${whole.label} ${valueAt(whole, at)} · `}
          {shown === undefined && isNow ? 'now' : clock(times[at] ?? '')}
        </Text>
      </Group>
      <Group gap="2px 10px" my={4} className="chart-legend">
        {series
          .filter(({ look }) => look !== undefined)
          .map((one) => (
            <Group key={one.label} gap={6} wrap="nowrap">
              <Key look={one.look} />
              <Text size="xs">{one.label}</Text>
              <Text size="xs" fw={600} className="numbers" style={{ minWidth: '1.75em' }}>
                {valueAt(one, at)}
              </Text>
            </Group>
          ))}
      </Group>
      <div ref={ref} style={{ position: 'relative' }}>
        <svg
          role="img"
          aria-label={describe(title, clock(times[0] ?? ''), series, valueAt, isNow)}
          width="100%"
          height={bottom + margin.bottom}
          onPointerMove={point}
          onPointerDown={press}
          onPointerUp={release}
          onPointerCancel={() => setDragged(undefined)}
          onPointerLeave={leave}
          className={onZoom ? 'chart-zoomable' : undefined}
          style={{ display: 'block', touchAction: 'pan-y' }}
        >
          {width > 0 && (
            <g>
              {scale.ticks.map((tick) => (
                <g key={tick}>
                  <line className="chart-grid" x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
                  <text className="chart-text" x={margin.left - 6} y={y(tick) + 4} textAnchor="end">
                    {show(tick)}
                  </text>
                </g>
              ))}
              {ticks.map((tick) => (
                <text
                  key={tick.at}
                  className="chart-text"
                  x={x(tick.at)}
                  y={bottom + margin.bottom - 4}
                  textAnchor={x(tick.at) > width - margin.right - 16 ? 'end' : 'middle'}
                >
                  {tick.label}
                </text>
              ))}
              {dragged !== undefined && shown !== undefined && (
                <rect
                  className="chart-selected"
                  x={x(Math.min(dragged, shown)) - each / 2}
                  width={(Math.abs(shown - dragged) + 1) * each}
                  y={top}
                  height={bottom - top}
                />
              )}
              {draw({ x, y, each })}
              {seen.map(({ id, kind, from, to = from }) => (
                <g key={id} className={`chart-mark chart-mark-${kind}`}>
                  {to > from && (
                    <rect x={xOf(from)} width={Math.max(1, xOf(to) - xOf(from))} y={top} height={bottom - top} />
                  )}
                  <line x1={xOf(from)} x2={xOf(from)} y1={top - 4} y2={bottom} />
                </g>
              ))}
              {shown !== undefined && <line className="chart-pointed" x1={x(at)} x2={x(at)} y1={top} y2={bottom} />}
            </g>
          )}
        </svg>
        {showMark && width > 0 && (
          <Flags flags={gatherMarks(seen, xOf, flagSize)} width={width} writeTime={clock} show={showMark} />
        )}
        {shown !== undefined && isHere && (
          <Tip
            time={clock(times[at] ?? '')}
            isLeft={at > times.length / 2}
            x={x(at)}
            width={width}
            lines={series.map((one) => ({ ...one, value: valueAt(one, at) }))}
          />
        )}
      </div>
      <Numbers title={title} series={series} valueAt={valueAt} times={times.map(clock)} />
    </Paper>
  )
}

/** A summary for screen readers: the newest and the highest value of each series. */
function describe(
  title: string,
  first: string,
  series: readonly Series[],
  valueAt: (series: Series, at: number) => string,
  isNow: boolean,
): string {
  const lines = series.map((one) => {
    const last = one.values.findLastIndex((value) => value !== null)
    if (last < 0) return `${one.label}: no calls`
    const highest = one.values.indexOf(Math.max(...one.values.filter((value) => value !== null)))
    return `${one.label}: ${isNow ? 'now' : 'last'} ${valueAt(one, last)}, highest ${valueAt(one, highest)}`
  })
  return `${title}, from ${first} on. ${lines.join('. ')}`
}
