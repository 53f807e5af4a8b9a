/**
 * A line chart of the last minutes. The legend shows the newest values or those under the pointer; screen readers get a
 * summary, and a table has the same numbers (specification 22.2).
 */
import { Group, Paper, Table, Text, Title } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import { LineKey, Lines } from './lines.tsx'
import { minuteTicks, roundTicks, showClock } from './scale.ts'
import type { Series } from './series.ts'

interface Props {
  readonly title: string
  /** `2.4`, `30 %`: short, because the title has the unit. */
  show(value: number): string
  /** The start of each step. */
  readonly times: readonly string[]
  /** At most three, the number of line styles. */
  readonly series: readonly Series[]
  /** The maximum, for values that have one. */
  readonly highest?: number
}

const height = 150
const margin = { left: 52, right: 8, top: 8, bottom: 20 }

export function LineChart({ title, show, times, series, highest }: Props) {
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<number>()
  const ticks = roundTicks(highest ?? Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const top = ticks.at(-1) ?? 1
  const inner = Math.max(0, width - margin.left - margin.right)
  const x = (at: number) => margin.left + (times.length < 2 ? 0 : (at / (times.length - 1)) * inner)
  const y = (value: number) => margin.top + (1 - value / top) * (height - margin.top - margin.bottom)
  const at = pointed !== undefined && pointed < times.length ? pointed : times.length - 1
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const left = currentTarget.getBoundingClientRect().left + margin.left
    const nearest = Math.round(((clientX - left) / Math.max(1, inner)) * (times.length - 1))
    setPointed(Math.min(times.length - 1, Math.max(0, nearest)))
  }
  const valueAt = (values: Series['values'], at: number) => {
    const value = values[at]
    return value === null || value === undefined ? '–' : show(value)
  }
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Title order={3}>{title}</Title>
        <Text size="xs" c="dimmed" className="numbers">
          {pointed === undefined ? 'now' : showClock(times[at] ?? '', true)}
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
      <div ref={ref}>
        <svg
          role="img"
          aria-label={describe(title, times, series, show)}
          width="100%"
          height={height}
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
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
              {minuteTicks(times, inner / 60).map((tick) => (
                <text key={times[tick]} className="chart-text" x={x(tick)} y={height - 4} textAnchor="middle">
                  {showClock(times[tick] ?? '')}
                </text>
              ))}
              <Lines series={series} x={x} y={y} />
              {pointed !== undefined && (
                <line className="chart-pointed" x1={x(at)} x2={x(at)} y1={margin.top} y2={height - margin.bottom} />
              )}
            </g>
          )}
        </svg>
      </div>
      <Numbers title={title} times={times} series={series} valueAt={valueAt} />
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
                    <Table.Td>{showClock(time, true)}</Table.Td>
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
function describe(title: string, times: readonly string[], series: readonly Series[], show: Props['show']): string {
  const lines = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null)
    const now = known.at(-1)
    return now === undefined ? `${label}: no calls` : `${label}: now ${show(now)}, highest ${show(Math.max(...known))}`
  })
  return `${title}, from ${showClock(times[0] ?? '', true)} on. ${lines.join('. ')}`
}
