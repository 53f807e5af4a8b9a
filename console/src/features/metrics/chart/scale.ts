/** Round numbers and times for the axes of a chart, and their labels. */
import { writeTime } from '../../../parts/moment.tsx'

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

const minute = 60_000
const units = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880].map((minutes) => minutes * minute)

export interface Tick {
  /** Index of its time. */
  readonly at: number
  readonly label: string
}

/** Round times of a zone, few enough for their labels to fit; a day has its date. @param times the start of each step */
export function timeTicks(times: readonly string[], max: number, zone: string): readonly Tick[] {
  const local = times.map((time) => readLocal(time, zone))
  const span = (local.at(-1) ?? 0) - (local[0] ?? 0)
  const unit = units.find((each) => span / each <= max) ?? 2880 * minute
  return local.flatMap((time, at) => {
    const isTick = at === 0 ? time % unit === 0 : Math.floor(time / unit) !== Math.floor((local[at - 1] ?? 0) / unit)
    if (!isTick) return []
    const text = new Date(time).toISOString()
    const isDay =
      unit >= 1440 * minute || (at > 0 && text.slice(0, 10) !== new Date(local[at - 1] ?? 0).toISOString().slice(0, 10))
    return [{ at, label: isDay ? text.slice(5, 10) : text.slice(11, 16) }]
  })
}

/** Its clock as if it were UTC. */
function readLocal(time: string, zone: string): number {
  return Date.parse(`${writeTime(new Date(time), zone).replace(' ', 'T')}Z`)
}

/** Three significant digits, with thousands separators. */
export function showNumber(value: number): string {
  if (value > 0 && value < 0.01) return '<0.01'
  const digits = value >= 100 || value === 0 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
