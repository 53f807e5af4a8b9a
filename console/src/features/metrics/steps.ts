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
