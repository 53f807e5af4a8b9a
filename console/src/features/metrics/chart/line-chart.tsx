/** A chart of at most three lines over time. */
import { ChartFrame, type TimeAxis } from './chart-frame.tsx'
import { Lines } from './lines.tsx'
import { linearScale } from './scale.ts'
import type { Series } from './series.ts'

interface Props extends TimeAxis {
  readonly title: string
  show(value: number): string
  /** At most three series, because there are three line styles. */
  readonly series: readonly Omit<Series, 'look'>[]
}

export function LineChart({ series, ...frame }: Props) {
  const lines = series.map((one, at): Series => ({ ...one, look: (at + 1) as 1 | 2 | 3 }))
  const highest = Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  return (
    <ChartFrame
      {...frame}
      series={lines}
      scale={linearScale(highest)}
      draw={({ x, y }) => <Lines isFilled series={lines} x={x} y={y} />}
    />
  )
}
