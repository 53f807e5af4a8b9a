/** When a call of a handler is tried again (specification 5.52). */

/** Besides the first attempt. */
export const maxRetries = 2
const firstDelay = 100
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Answers of a service that is away, rather than of one that refuses. */
export const away: ReadonlySet<number> = new Set([502, 503, 504])

export function mayRepeat(method: string, attempt: number): boolean {
  return attempt < maxRetries && repeatable.has(method)
}

/** Milliseconds until the next attempt; undefined if the answer stands. @param attempt from 0 */
export function findDelay(response: Response, attempt: number, now: number, random: () => number): number | undefined {
  const wanted = readRetryAfter(response.headers.get('retry-after'), now)
  if (response.status === 429) return wanted
  return away.has(response.status) ? (wanted ?? delayOf(attempt, random)) : undefined
}

/** 100 ms and 200 ms, minus up to half, so that callers do not all retry at the same time. */
export function delayOf(attempt: number, random: () => number): number {
  return firstDelay * 2 ** attempt * (1 - random() / 2)
}

/** Seconds or a date. */
function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const milliseconds = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds)
}
