/** Columns of layers, one above the other; what is not zero is at least a sliver high. */
import { fillOf, hasPattern } from './key.tsx'
import type { Series } from './series.ts'

interface Props {
  /** The lowest first. */
  readonly layers: readonly Series[]
  /** The width of a step in pixels, and its middle. */
  readonly each: number
  x(at: number): number
  y(value: number): number
}

const sliver = 1.5

export function Layers({ layers, each, x, y }: Props) {
  const width = Math.max(0.75, each > 4 ? each - 1 : each)
  const heights = new Map<number, number>()
  const floor = y(0)
  return layers.map(({ label, look, values }) => {
    let path = ''
    for (const [at, value] of values.entries()) {
      if (value === null || value <= 0) continue
      const below = heights.get(at) ?? 0
      const tall = Math.max(sliver, floor - y(value))
      heights.set(at, below + tall)
      const left = (x(at) - width / 2).toFixed(1)
      path += `M${left} ${(floor - below - tall).toFixed(1)}h${width.toFixed(2)}v${tall.toFixed(1)}h${(-width).toFixed(2)}z`
    }
    return (
      look !== undefined && (
        <g key={label}>
          <path d={path} fill={fillOf(look)} />
          {hasPattern(look) && <path d={path} fill={`url(#pattern-${look})`} />}
        </g>
      )
    )
  })
}
