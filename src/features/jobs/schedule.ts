/**
 * When a job is due: at an interval, or by a cron expression in a time zone (specification 24.2). The library is loaded
 * with the first expression: most configurations have none.
 */
import { createRequire } from 'node:module'

/** What is used of `croner`. */
interface Croner {
  readonly Cron: new (
    expression: string,
    options: { readonly timezone: string },
  ) => { nextRun(after?: Date): Date | null }
}

const load = createRequire(import.meta.url)

export interface Schedule {
  /** `every 5min`, `at 0 3 * * * (Europe/Berlin)` */
  readonly text: string
  /** The first time after this one, both in epoch milliseconds. */
  next(after: number): number
}

export interface ScheduleDefinition {
  readonly every?: string | undefined
  readonly at?: string | undefined
  readonly timeZone?: string | undefined
}

const never = Number.POSITIVE_INFINITY
const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }

export const intervalRule = 'must be an interval with its unit, 1s to 30d: 30s, 5min, 12h, 7d'

/** Milliseconds; undefined for any other text. */
export function parseInterval(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,6}) ?(s|min|h|d)$/.exec(text) ?? []
  const milliseconds = Number(digits) * (units[unit] ?? 0)
  return milliseconds <= 30 * 86_400_000 ? milliseconds : undefined
}

/** @param definition valid, with either `every` or `at` */
export function openSchedule({ every, at = '', timeZone = 'UTC' }: ScheduleDefinition): Schedule {
  if (every === undefined) {
    const cron = openCron(at, timeZone)
    let known = { after: Number.NaN, time: 0 } // asked every second, and takes as long as a small call
    const next = (after: number) => {
      if (after !== known.after) known = { after, time: cron.nextRun(new Date(after))?.getTime() ?? never }
      return known.time
    }
    return { text: `at ${at} (${timeZone})`, next }
  }
  const interval = parseInterval(every) ?? never
  return { text: `every ${every}`, next: (after) => (Math.floor(after / interval) + 1) * interval }
}

/** @returns why no time fits the expression */
export function findCronProblem(at: string): string | undefined {
  const form = 'must be a cron expression: minute, hour, day, month and weekday, such as 0 3 * * *'
  if (!/^[^\s?]+(?:[ \t]+[^\s?]+){4}$/.test(at)) return form // the library reads ? as the time of its start
  try {
    return openCron(at, 'UTC').nextRun() ? undefined : `${form} (no day is like that)`
  } catch (error) {
    return `${form} (${(error as Error).message.replace(/^\w+: /, '')})`
  }
}

function openCron(at: string, timezone: string) {
  const { Cron } = load('croner') as Croner
  return new Cron(at, { timezone })
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== undefined
  } catch {
    return false
  }
}

/** Precise enough for cron expressions, in milliseconds. */
const precision = 1000

/** The latest time between the two; undefined if there is none. */
export function findLatest({ next }: Schedule, after: number, until: number): number | undefined {
  if (next(after) > until) return undefined
  let [low, high] = [after, until]
  while (high - low > precision) {
    const middle = (low + high) / 2
    if (next(middle) <= until) low = middle
    else high = middle
  }
  return next(low)
}
