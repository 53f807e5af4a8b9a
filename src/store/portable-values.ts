/**
 * Values of columns as both databases give them with `databaseValues: 'portable'` (specification 5.60): by the declared
 * type of the column, or by what an expression states.
 */
import { normalizeDecimal } from '../base/decimal.ts'
import { isDate } from '../model/primitive.ts'

export type PortableKind = 'decimal' | 'boolean' | 'date' | 'timestamp' | 'timestamptz'

/** A text that is no value of its kind stays as it is: PostgreSQL has `NaN` and `infinity`, SQLite any text at all. */
export const portable: Readonly<Record<PortableKind, (value: unknown) => unknown>> = {
  decimal(value) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return value
    return normalizeDecimal(value) ?? value
  },
  boolean: (value) => (booleans.has(value) ? booleans.get(value) : value),
  date: (value) => (typeof value === 'string' && /^\d{4}-\d\d-\d\d[ T]/.test(value) ? value.slice(0, 10) : value),
  timestamp: (value) => (typeof value === 'string' ? writeTimestamp(value) : value),
  timestamptz: (value) => (typeof value === 'string' ? writeInUtc(value) : value),
}

const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [1, true],
  [0, false],
  ['true', true],
  ['false', false],
])

const timestampSyntax = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/

/** `YYYY-MM-DD HH:MM:SS.ffffff`. A zone is ignored, as PostgreSQL does in a column without one. */
export function writeTimestamp(text: string): string {
  const [, date, minutes = '00:00', seconds = '00', fraction = ''] = timestampSyntax.exec(text) ?? []
  return date === undefined ? text : `${date} ${minutes}:${seconds}.${fraction.slice(0, 6).padEnd(6, '0')}`
}

/** Whether the text is a valid day of the calendar, with or without a time. */
export function isTimestamp(text: string): boolean {
  const [, date = '', minutes = '00:00', seconds = '00'] = timestampSyntax.exec(text) ?? []
  return isDate(date) && minutes < '24:00' && minutes.slice(3) < '60' && seconds < '60'
}

/** In UTC, `YYYY-MM-DD HH:MM:SS.ffffff+00`; a text without a zone is in UTC. */
function writeInUtc(text: string): string {
  const [, , , , fraction = '', zone = 'Z'] = timestampSyntax.exec(text) ?? []
  const [, sign = '', hours = '', minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  const time = Date.parse(
    `${writeTimestamp(text).slice(0, 19).replace(' ', 'T')}${sign && `${sign}${hours}:${minutes}`}${sign ? '' : 'Z'}`,
  )
  if (Number.isNaN(time)) return text
  const utc = new Date(time).toISOString()
  return `${utc.slice(0, 10)} ${utc.slice(11, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}+00`
}

/** Rounds a number that SQL has calculated to the 15 digits that are exact. */
export function roundCalculated(value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(15)) : value
}
