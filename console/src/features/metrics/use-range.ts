/** The time span of the overview, from the URL: a range that ends now, yesterday, or one chosen by times or by dragging. */
import { gatewayClock } from '../../api/clock.ts'
import { useZone, writeTime } from '../../parts/moment.tsx'
import { setParameters, usePlace } from '../../router.tsx'

export const ranges = [
  { value: '', label: '5 min', words: 'in the last 5 minutes', minutes: 5 },
  { value: '1h', label: '1 h', words: 'in the last hour', minutes: 60 },
  { value: '24h', label: '24 h', words: 'in the last 24 hours', minutes: 1440 },
  { value: 'yesterday', label: 'Yesterday', words: 'yesterday', minutes: 0 },
  { value: '7d', label: '7 days', words: 'in the last 7 days', minutes: 10_080 },
] as const

export interface Range {
  /** A key of the table of ranges; undefined if the range was chosen by its times. */
  readonly value: string | undefined
  /** `in the last hour` */
  readonly words: string
  readonly query: { readonly minutes: number } | { readonly from?: string; readonly to?: string }
  /** The parameters of a link to the monitor; empty if the range ends now. */
  readonly times: Readonly<Record<string, string>>
}

export function useRange(): Range {
  const { query } = usePlace()
  const zone = useZone()
  const [from, to] = [readTime(query.get('from')), readTime(query.get('to'))]
  if (from !== undefined || to !== undefined) {
    const times = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    const write = (time: string | undefined) =>
      time === undefined ? 'now' : writeTime(new Date(time), zone).slice(0, 16)
    return {
      value: undefined,
      words: from === undefined ? `in the hour before ${write(to)}` : `from ${write(from)} to ${write(to)}`,
      query: times,
      times,
    }
  }
  const { value, words, minutes } = ranges.find((each) => each.value === query.get('range')) ?? ranges[0]
  const times = value === 'yesterday' ? findYesterday(gatewayClock.now(), zone) : {}
  return { value, words, query: value === 'yesterday' ? times : { minutes }, times }
}

export function setRange(value: string): void {
  setParameters({ range: value, from: '', to: '' })
}

export function setTimes(from: string, to: string): void {
  setParameters({ from, to })
}

function readTime(text: string | null): string | undefined {
  const time = new Date(text ?? '')
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** From midnight to midnight in the zone in which times are shown. */
function findYesterday(now: number, zone: string): { readonly from: string; readonly to: string } {
  const midnight = (time: number) =>
    Date.parse(`${writeTime(new Date(time), zone).slice(0, 10)}T00:00:00${zone === 'UTC' ? 'Z' : ''}`)
  const today = midnight(now)
  return { from: new Date(midnight(today - 1)).toISOString(), to: new Date(today).toISOString() }
}
