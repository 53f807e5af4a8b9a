/** The lines of a chart. They differ in colour and in dashes, so they can be distinguished without colours. */
import { lineOf } from './key.tsx'
import type { Series } from './series.ts'

interface Props {
  readonly series: readonly Series[]
  x(at: number): number
  y(value: number): number
  /** Whether the area below the first line is tinted. */
  readonly isFilled?: boolean
}

export function Lines({ series, x, y, isFilled = false }: Props) {
  return series
    .map(({ label, values, look = 1 }) => {
      const line = lineOf(look as 1)
      return (
        <g key={label}>
          {isFilled && look === 1 && <path d={drawArea(values, x, y)} fill={line.stroke} opacity={0.12} />}
          <path d={drawLine(values, x, y)} {...line} />
          {findAlone(values).map((at) => (
            <circle key={at} cx={x(at)} cy={y(values[at] ?? 0)} r="2.5" fill={line.stroke} />
          ))}
        </g>
      )
    })
    .reverse()
}

/** Single values between two gaps, which are drawn as dots. */
function findAlone(values: Series['values']): readonly number[] {
  const isGap = (at: number) => (values[at] ?? null) === null
  return values.flatMap((_, at) => (!isGap(at) && isGap(at - 1) && isGap(at + 1) ? [at] : []))
}

type Draw = (values: Series['values'], x: Props['x'], y: Props['y']) => string

export const drawLine: Draw = (values, x, y) =>
  values
    .map((value, at) => {
      if (value === null) return ''
      const isFirst = (values[at - 1] ?? null) === null
      return `${isFirst ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join('')

const drawArea: Draw = (values, x, y) =>
  drawBand(
    values,
    values.map((value) => value && 0),
    x,
    y,
  )

/** Between two lines, with the same gaps. */
export function drawBand(upper: Series['values'], lower: Series['values'], x: Props['x'], y: Props['y']): string {
  const isKnown = (at: number) => (upper[at] ?? null) !== null && (lower[at] ?? null) !== null
  const point = (at: number, values: Series['values']) => `${x(at).toFixed(1)} ${y(values[at] ?? 0).toFixed(1)}`
  let path = ''
  for (let first = 0; first < upper.length; first += 1) {
    if (!isKnown(first)) continue
    let end = first
    while (isKnown(end + 1)) end += 1
    const span = Array.from({ length: end - first + 1 }, (_, offset) => first + offset)
    const there = span.map((at) => point(at, upper)).join('L')
    const back = span
      .toReversed()
      .map((at) => point(at, lower))
      .join('L')
    path += `M${there}L${back}Z`
    first = end
  }
  return path
}
