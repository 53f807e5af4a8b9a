/** The lines of a chart. They differ in colour and in dashes, so they can be distinguished without colours. */
import type { Series } from './series.ts'

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
        .map(({ label, values }, index) => (
          <g key={label}>
            <path d={drawLine(values, x, y)} {...kindOf(index)} />
            {findAlone(values).map((at) => (
              <circle key={at} cx={x(at)} cy={y(values[at] ?? 0)} r="2.5" fill={kindOf(index).stroke} />
            ))}
          </g>
        ))
        .reverse()}
    </>
  )
}

export function LineKey({ index }: { readonly index: number }) {
  return (
    <svg width="18" height="10" aria-hidden="true" style={{ flexShrink: 0 }}>
      <path d="M1 5H17" {...kindOf(index)} strokeWidth={2.25} />
    </svg>
  )
}

/** Single values between two gaps, which are drawn as dots. */
function findAlone(values: Series['values']): readonly number[] {
  const isGap = (at: number) => (values[at] ?? null) === null
  return values.flatMap((_, at) => (!isGap(at) && isGap(at - 1) && isGap(at + 1) ? [at] : []))
}

type Draw = (values: Series['values'], x: Props['x'], y: Props['y']) => string

const drawLine: Draw = (values, x, y) =>
  values
    .map((value, at) => {
      if (value === null) return ''
      const isFirst = (values[at - 1] ?? null) === null
      return `${isFirst ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
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
