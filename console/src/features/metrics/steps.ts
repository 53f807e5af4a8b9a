/** The steps of a time span, with a gap where no instance counted calls (specification 43.5). */
import type { History, Point } from './api.ts'

export interface Steps {
  /** The start of each. */
  readonly times: readonly string[]
  readonly points: readonly (Point | undefined)[]
}

export function layOut({ from, to, stepSeconds, points }: History): Steps {
  const [first, last, step] = [Date.parse(from), Date.parse(to), stepSeconds * 1000]
  const known = new Map(points.map((point) => [Date.parse(point.time), point]))
  const starts = Array.from({ length: Math.round((last - first) / step) }, (_, at) => first + at * step)
  return { times: starts.map((time) => new Date(time).toISOString()), points: starts.map((time) => known.get(time)) }
}

const day = 86_400_000

/** The points of the day before, at the place of their time of day; their steps may have another length. */
export function placeBefore(times: readonly string[], before: History | undefined): readonly (Point | undefined)[] {
  if (!before) return times.map(() => undefined)
  const step = before.stepSeconds * 1000
  const first = Date.parse(before.from)
  const known = new Map(before.points.map((point) => [Date.parse(point.time), point]))
  return times.map((time) => known.get(first + Math.floor((Date.parse(time) - day - first) / step) * step))
}
