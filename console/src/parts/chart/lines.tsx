/** Lines that differ in colour, in light and dark, and in how they are dashed, for whom colours are alike. */
import type { Series } from './line-chart.tsx'

const dashes = [undefined, '6 3', '2 3'] as const

const kindOf = (index: number) => ({
  fill: 'none',
  stroke: `var(--series-${index + 1})`,
  strokeWidth: 1.75,
  strokeLinejoin: 'round' as const,
  strokeLinecap: index === 0 ? ('round' as const) : ('butt' as const),
  strokeDasharray: dashes[index],
})

interface Props {
  readonly series: readonly Series[]
  x(at: number): number
  y(value: number): number
}

export function Lines({ series, x, y }: Props) {
  const [first] = series
  return (
    <>
      {first && <path d={drawArea(first.values, x, y)} fill="var(--series-1)" opacity={0.12} />}
      {series
        .map(({ label, values }, index) => <path key={label} d={drawLine(values, x, y)} {...kindOf(index)} />)
        .reverse()}
    </>
  )
}

export function LineKey({ index }: { readonly index: number }) {
  return (
    <svg width="22" height="10" aria-hidden="true" style={{ flexShrink: 0 }}>
      <path d="M1 5H21" {...kindOf(index)} strokeWidth={2.25} />
    </svg>
  )
}

type Draw = (values: Series['values'], x: Props['x'], y: Props['y']) => string

/** A value between two gaps is a dot. */
const drawLine: Draw = (values, x, y) =>
  values
    .map((value, at) => {
      if (value === null) return ''
      const isFirst = (values[at - 1] ?? null) === null
      const isAlone = isFirst && (values[at + 1] ?? null) === null
      return `${isFirst ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}${isAlone ? 'h2' : ''}`
    })
    .join('')

const drawArea: Draw = (values, x, y) =>
  values
    .map((value, at) => {
      if (value === null) return ''
      const isFirst = (values[at - 1] ?? null) === null
      const isLast = (values[at + 1] ?? null) === null
      const place = x(at).toFixed(1)
      const floor = y(0).toFixed(1)
      return `${isFirst ? `M${place} ${floor}` : ''}L${place} ${y(value).toFixed(1)}${isLast ? `L${place} ${floor}Z` : ''}`
    })
    .join('')
