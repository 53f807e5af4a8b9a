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
