/** Round numbers for the axes of a chart, and their labels. */

/** From 0 to at least the highest value, in two to five equal, round steps. */
export function roundTicks(highest: number): readonly number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(6)))
}

/** Full minutes among these times, few enough for their labels to fit. @returns indexes */
export function minuteTicks(times: readonly string[], most: number): readonly number[] {
  const minutes = times.flatMap((time, at) => (Date.parse(time) % 60_000 === 0 ? [at] : []))
  const every = Math.max(1, Math.ceil(minutes.length / most))
  return minutes.filter((at) => (Date.parse(times[at] ?? '') / 60_000) % every === 0)
}

export function showClock(time: string, hasSeconds = false): string {
  return new Date(time).toLocaleTimeString('sv', {
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds && { second: '2-digit' }),
  })
}

/** Three significant digits, with thousands separators. */
export function showNumber(value: number): string {
  if (value > 0 && value < 0.01) return '<0.01'
  const digits = value >= 100 || value === 0 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
