/** Round times for the axis of a chart. */
import { writeTime } from '../../../parts/moment.tsx'

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
