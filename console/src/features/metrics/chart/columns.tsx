/** A small column chart of a row's values over the last minutes. */
interface Props {
  readonly values: readonly number[]
}

const width = 120
const height = 22
/** Columns that the eye can distinguish. */
const maxColumns = 60

export function Columns({ values }: Props) {
  const shown = gather(values)
  const highest = Math.max(1, ...shown)
  const each = width / shown.length
  return (
    <svg width={width} height={height} aria-hidden="true" style={{ display: 'block' }}>
      <line className="chart-grid" x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
      {shown.map((value, at) => {
        if (value === 0) return null
        const tall = Math.max(2, (value / highest) * (height - 1))
        return (
          <rect
            key={at}
            x={at * each}
            y={height - tall}
            width={Math.max(1, each - 0.5)}
            height={tall}
            fill="var(--series-3)"
          />
        )
      })}
    </svg>
  )
}

/** Groups from the newest on, so that only the oldest group can be smaller. */
function gather(values: readonly number[]): readonly number[] {
  const size = Math.ceil(values.length / maxColumns)
  const sums: number[] = []
  for (let end = values.length; end > 0; end -= size)
    sums.unshift(values.slice(Math.max(0, end - size), end).reduce((sum, value) => sum + value, 0))
  return sums
}
