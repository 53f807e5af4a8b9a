/**
 * A line chart over time. A tip and the legend show the values under the pointer; dragging zooms; screen readers get a
 * summary, and a table has the same numbers.
 */
import { Group, Paper, Table, Text, Title } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useMemo, useState } from 'react'
import { useZone, writeTime } from '../../../parts/moment.tsx'
import { LineKey, Lines } from './lines.tsx'
import { roundTicks, timeTicks } from './scale.ts'
import type { Series } from './series.ts'
import { Tip } from './tip.tsx'

interface Props {
  readonly title: string
  /** `2.4`, `30 %`: short, because the title has the unit. */
  show(value: number): string
  /** The start of each step. */
  readonly times: readonly string[]
  readonly stepSeconds: number
  /** Whether the last step is the present. */
  readonly isNow: boolean
  /** At most three series, because there are three line styles. */
  readonly series: readonly Series[]
  /** The maximum, for values that have one. */
  readonly highest?: number
  /** The step under the pointer, of this chart or of one beside it. */
  readonly pointed: number | undefined
  onPoint(at: number | undefined): void
  /** Called with the dragged time span; without it dragging does nothing. */
  onZoom?(from: string, to: string): void
}

const height = 170
const margin = { left: 52, right: 8, top: 8, bottom: 20 }

export function LineChart(props: Props) {
  const { title, show, times, stepSeconds, isNow, series, highest, pointed, onPoint, onZoom } = props
  const { ref, width } = useElementSize()
  const zone = useZone()
  const [isHere, setIsHere] = useState(false)
  const [dragged, setDragged] = useState<number>()
  const ticks = roundTicks(highest ?? Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const top = ticks.at(-1) ?? 1
  const inner = Math.max(0, width - margin.left - margin.right)
  const marks = useMemo(() => timeTicks(times, Math.max(1, inner / 60), zone), [times, inner, zone])
  const x = (at: number) => margin.left + (times.length < 2 ? 0 : (at / (times.length - 1)) * inner)
  const y = (value: number) => margin.top + (1 - value / top) * (height - margin.top - margin.bottom)
  const shown = pointed !== undefined && pointed < times.length ? pointed : undefined
  const at = shown ?? times.length - 1
  const clock = (time: string, isLong: boolean) => {
    const text = writeTime(new Date(time), zone)
    return isLong ? text.slice(0, 16) : text.slice(11)
  }
  const isLong = stepSeconds >= 60
  const stepAt = ({ clientX, currentTarget }: PointerEvent) => {
    const left = currentTarget.getBoundingClientRect().left + margin.left
    const nearest = Math.round(((clientX - left) / Math.max(1, inner)) * (times.length - 1))
    return Math.min(times.length - 1, Math.max(0, nearest))
  }
  const point = (event: PointerEvent) => {
    setIsHere(true)
    onPoint(stepAt(event))
  }
  const begin = (event: PointerEvent) => {
    if (!onZoom || event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    setDragged(stepAt(event))
  }
  const end = (event: PointerEvent) => {
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
  const valueAt = (values: Series['values'], place: number) => {
    const value = values[place]
    return value === null || value === undefined ? '–' : show(value)
  }
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Title order={3}>{title}</Title>
        <Text size="xs" c="dimmed" className="numbers">
          {shown === undefined && isNow ? 'now' : clock(times[at] ?? '', isLong)}
        </Text>
      </Group>
      <Group gap={10} my={4}>
        {series.map(({ label, values }, index) => (
          <Group key={label} gap={6} wrap="nowrap">
            <LineKey index={index} />
            <Text size="sm">{label}</Text>
            <Text size="sm" fw={600} className="numbers" style={{ minWidth: '2.5em' }}>
              {valueAt(values, at)}
            </Text>
          </Group>
        ))}
      </Group>
      <div ref={ref} style={{ position: 'relative' }}>
        <svg
          role="img"
          aria-label={describe(title, clock(times[0] ?? '', isLong), series, show, isNow)}
          width="100%"
          height={height}
          onPointerMove={point}
          onPointerDown={begin}
          onPointerUp={end}
          onPointerCancel={() => setDragged(undefined)}
          onPointerLeave={leave}
          className={onZoom ? 'chart-zoomable' : undefined}
          style={{ display: 'block', touchAction: 'pan-y' }}
        >
          {width > 0 && (
            <g>
              {ticks.map((tick) => (
                <g key={tick}>
                  <line className="chart-grid" x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
                  <text className="chart-text" x={margin.left - 6} y={y(tick) + 4} textAnchor="end">
                    {show(tick)}
                  </text>
                </g>
              ))}
              {marks.map((mark) => (
                <text
                  key={mark.at}
                  className="chart-text"
                  x={x(mark.at)}
                  y={height - 4}
                  textAnchor={x(mark.at) > width - margin.right - 16 ? 'end' : 'middle'}
                >
                  {mark.label}
                </text>
              ))}
              {dragged !== undefined && shown !== undefined && (
                <rect
                  className="chart-selected"
                  x={x(Math.min(dragged, shown))}
                  width={Math.abs(x(shown) - x(dragged))}
                  y={margin.top}
                  height={height - margin.top - margin.bottom}
                />
              )}
              <Lines series={series} x={x} y={y} />
              {shown !== undefined && (
                <line className="chart-pointed" x1={x(at)} x2={x(at)} y1={margin.top} y2={height - margin.bottom} />
              )}
            </g>
          )}
        </svg>
        {shown !== undefined && isHere && (
          <Tip
            time={clock(times[at] ?? '', isLong)}
            isLeft={at > times.length / 2}
            x={x(at)}
            width={width}
            lines={series.map(({ label, values }) => ({ label, value: valueAt(values, at) }))}
          />
        )}
      </div>
      <Numbers title={title} series={series} valueAt={valueAt} times={times.map((time) => clock(time, isLong))} />
    </Paper>
  )
}

interface NumbersProps extends Pick<Props, 'title' | 'times' | 'series'> {
  valueAt(values: Series['values'], at: number): string
}

function Numbers({ title, times, series, valueAt }: NumbersProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Text component="span" size="xs" c="dimmed">
          Show as table
        </Text>
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <section className="wide low" aria-label={`${title}, as a table`} tabIndex={0}>
          <Table verticalSpacing={2} className="numbers">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">From</Table.Th>
                {series.map(({ label }) => (
                  <Table.Th key={label} scope="col" className="number">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {times
                .map((time, at) => (
                  <Table.Tr key={time}>
                    <Table.Td>{time}</Table.Td>
                    {series.map(({ label, values }) => (
                      <Table.Td key={label} className="number">
                        {valueAt(values, at)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))
                .reverse()}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </details>
  )
}

/** A summary for screen readers: the newest and the highest value of each line. */
function describe(
  title: string,
  first: string,
  series: readonly Series[],
  show: Props['show'],
  isNow: boolean,
): string {
  const lines = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null)
    const last = known.at(-1)
    if (last === undefined) return `${label}: no calls`
    return `${label}: ${isNow ? 'now' : 'last'} ${show(last)}, highest ${show(Math.max(...known))}`
  })
  return `${title}, from ${first} on. ${lines.join('. ')}`
}
