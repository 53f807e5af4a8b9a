/** Date and time as bodies and columns write them, in the server's time zone (specification 7.7, 9.3). */

/**
 * A date and time as responses write it: `YYYY-MM-DD-HH.MM.SS.ffffff`, in the server's time zone, with microseconds
 * (specification 7.7). @param time epoch milliseconds, whose fraction gives the microseconds (`context.now()`), or the
 * text of a timestamp column as read
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { formatDateTime } from 'integration-gateway'
 *
 * const time = new Date(2026, 10, 21, 10, 11, 12).getTime() + 123.456
 * assert.equal(formatDateTime(time), '2026-11-21-10.11.12.123456')
 * assert.equal(formatDateTime('2026-11-21 10:11:12.5'), '2026-11-21-10.11.12.500000')
 * ```
 */
export function formatDateTime(time: number | string): string {
  if (typeof time === 'number') return writeTime(time, '-', '.')
  const [, date, hours, minutes, seconds, fraction = ''] = timestampSyntax.exec(time) ?? []
  if (date === undefined) throw new RangeError(`${JSON.stringify(time)} is not a timestamp`)
  return `${date}-${hours}.${minutes}.${seconds}.${fraction.padEnd(6, '0').slice(0, 6)}`
}

const timestampSyntax = /^(\d{4,}-\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d+))?$/

/**
 * A date and time as both databases accept it in a timestamp column: `YYYY-MM-DD HH:MM:SS.ffffff`, in the server's time zone.
 * @param time epoch milliseconds, whose fraction gives the microseconds
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { formatTimestamp } from 'integration-gateway'
 *
 * assert.equal(
 *   formatTimestamp(new Date(2026, 0, 2, 3, 4, 5).getTime() + 0.006),
 *   '2026-01-02 03:04:05.000006',
 * )
 * ```
 */
export function formatTimestamp(time: number): string {
  return writeTime(time, ' ', ':')
}

/**
 * A date and time as HTTP writes it, in whole seconds: for headers such as `Last-Modified`.
 * @param time epoch milliseconds (`context.now()`)
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { formatHttpDate } from 'integration-gateway'
 *
 * assert.equal(
 *   formatHttpDate(Date.UTC(2026, 10, 21, 10, 11, 12)),
 *   'Sat, 21 Nov 2026 10:11:12 GMT',
 * )
 * ```
 */
export function formatHttpDate(time: number): string {
  const second = Math.floor(time / 1000)
  if (second !== lastHttp.second) lastHttp = { second, text: new Date(second * 1000).toUTCString() }
  return lastHttp.text
}

/** Every reply has one. */
let lastHttp = { second: Number.NaN, text: '' }

function writeTime(time: number, between: string, within: string): string {
  const second = Math.floor(time / 1000)
  const microseconds = Math.min(999_999, Math.round((time - second * 1000) * 1000)) // rounded, but never into the next second
  if (second !== last.second || within !== last.within)
    last = { second, within, text: writeSecond(second, between, within) }
  return `${last.text}.${threeDigits[Math.floor(microseconds / 1000)]}${threeDigits[microseconds % 1000]}`
}

/** V8 keeps the text of each number that it writes: of a million rows, half of what outlived the young generation. */
const threeDigits = Array.from({ length: 1000 }, (_, number) => pad(number, 3))

/** Thousands of rows share one second. */
let last = { second: Number.NaN, within: '', text: '' }

function writeSecond(second: number, between: string, within: string): string {
  const date = new Date(second * 1000)
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  const clock = `${pad(date.getHours())}${within}${pad(date.getMinutes())}${within}${pad(date.getSeconds())}`
  return `${day}${between}${clock}`
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0')
}
