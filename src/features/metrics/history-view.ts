/** Which rows of the history a time span is drawn from, and in which steps (specification 43.4). */
import { type Piece, type Resolution, rowsKept } from './metric-row.ts'

export interface HistoryView {
  /** Epoch milliseconds: multiples of the step. */
  readonly from: number
  readonly to: number
  /** Milliseconds. */
  readonly step: number
  /** Rows of the points. */
  readonly points: readonly Piece[]
  /** Rows of sums over all of it: the same calls in fewer rows. */
  readonly sums: readonly Piece[]
}

export interface HistorySpan {
  /** Epoch milliseconds. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Its length, if there is no start. */
  readonly minutes: number
}

export const maxPoints = 400
const minute = 60_000
const hour = 60 * minute
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * minute)
/** Milliseconds to wait for the rows of a minute that has ended. */
const patience = 5_000

/** The end of the last minute that all instances have reported. */
export function lastMinute(now: number): number {
  return floor(now - patience, minute)
}

/** @param now of the database @returns undefined if nothing can be in it */
export function chooseView(span: HistorySpan, now: number): HistoryView | undefined {
  const latest = lastMinute(now)
  const end = Math.min(span.to ?? latest, latest)
  const begin = Math.max(span.from ?? end - span.minutes * minute, now - rowsKept[3600])
  if (!(begin < end)) return undefined
  const isKept = begin >= now - rowsKept[60]
  const step = steps.find((each) => (isKept || each >= hour) && (end - begin) / each <= maxPoints - 1) ?? hour
  const [from, to] = [floor(begin, step), Math.ceil(end / step) * step]
  if (step >= hour) {
    const all = [piece(3600, from, to)]
    return { from, to, step, points: all, sums: all }
  }
  // The hour that has not ended has a row, too.
  const hours = [Math.ceil(from / hour) * hour, to >= latest ? Math.ceil(to / hour) * hour : floor(to, hour)] as const
  const sums =
    hours[1] - hours[0] < 2 * hour
      ? [piece(60, from, to)]
      : [piece(60, from, hours[0]), piece(3600, ...hours), piece(60, hours[1], to)]
  return { from, to, step, points: [piece(60, from, to)], sums: sums.filter((each) => each.from < each.to) }
}

function piece(resolution: Resolution, from: number, to: number): Piece {
  return { resolution, from, to }
}

function floor(time: number, step: number): number {
  return Math.floor(time / step) * step
}
