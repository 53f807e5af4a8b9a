/** Scales of the values of a chart, with round numbers on its axis. */

/** From 0 to at least the highest value, in two to five equal steps, which two digits show. */
export function roundTicks(highest: number): readonly number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(6)))
}

export interface Scale {
  readonly ticks: readonly number[]
  /** 0 at the bottom, 1 at the top. */
  place(value: number): number
}

export function linearScale(highest: number): Scale {
  const ticks = roundTicks(highest)
  const top = ticks.at(-1) ?? 1
  return { ticks, place: (value) => value / top }
}

/** Equal distances are equal factors. @param values null and zero have no place, and are at the bottom */
export function logScale(values: readonly (number | null)[]): Scale {
  const known = values.filter((value) => value !== null && value > 0) as number[]
  const ticks = logTicks(Math.min(...known), Math.max(...known))
  const [bottom, top] = [Math.log10(ticks[0] ?? 1), Math.log10(ticks.at(-1) ?? 10)]
  return {
    ticks,
    place: (value) => (value > 0 ? Math.min(1, Math.max(0, (Math.log10(value) - bottom) / (top - bottom))) : 0),
  }
}

/** Powers of ten from at most the lowest to at least the highest value; of few of them also twice and five times each. */
export function logTicks(lowest: number, highest: number): readonly number[] {
  if (!(highest > 0)) return [1, 10, 100]
  const first = Math.floor(Math.log10(Math.max(lowest, highest / 1e5)))
  const count = Math.max(1, Math.ceil(Math.log10(highest) - 1e-9) - first)
  const factors = count <= 2 ? [1, 2, 5] : [1]
  const all = Array.from({ length: count }, (_, at) => factors.map((factor) => factor * 10 ** (first + at)))
  const ticks = [...all.flat(), 10 ** (first + count)].map((tick) => Number(tick.toPrecision(1)))
  const begin = ticks.findLastIndex((tick) => tick <= lowest)
  const end = ticks.findIndex((tick) => tick >= highest)
  const shown = ticks.slice(Math.max(0, begin), end < 0 ? undefined : end + 1)
  return shown.length < 2 ? ticks : shown
}

/** Three significant digits, with thousands separators. */
export function showNumber(value: number): string {
  if (value > 0 && value < 0.01) return '<0.01'
  const digits = value >= 100 || value === 0 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
