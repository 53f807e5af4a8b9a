/**
 * What SQLite stores of a value in a column of a declared type, so that it reads as on PostgreSQL, or is refused
 * (specification 5.60, 5.62).
 */
import { countDigits, normalizeDecimal, roundDecimal } from '../../base/decimal.ts'
import { isTimestamp, writeTimestamp } from '../portable-values.ts'
import { kindOf } from './portable-columns.ts'

export type WriteValue = (value: unknown) => unknown

/** SQLite guarantees this number of decimal digits. */
const exactDigits = 15

/** Undefined where every value is stored as it is. @param column `STAFF.SALARY` */
export function writerOf(column: string, type: string): WriteValue | undefined {
  const [, isText, precision, scale] = /^exact_decimal(_text)?\((\d+), *(\d+)\)$/i.exec(type) ?? []
  if (precision !== undefined)
    return (value) =>
      fit(value, { column, isText: isText !== undefined, precision: Number(precision), scale: Number(scale) })
  return writers[kindOf(type) ?? '']?.(column, type)
}

const writers: Readonly<Record<string, (column: string, type: string) => WriteValue>> = {
  decimal: (column, type) => (value) => requireFew(value, column, type),
  date: (column) => (value) => requireTime(value, column, 'dates, YYYY-MM-DD')?.slice(0, 10),
  timestamp: (column) => (value) => inOneForm(requireTime(value, column, timestamps)),
  timestamptz: (column) => (value) => requireTime(value, column, timestamps),
}

const timestamps = 'timestamps, YYYY-MM-DD HH:MM:SS'

/** SQLite would store any text, and February 30. @returns undefined for no value */
function requireTime(value: unknown, column: string, what: string): string | undefined {
  if (value === null || value === undefined) return undefined
  const text = value instanceof Date ? value.toISOString() : value
  if (typeof text === 'string' && isTimestamp(text)) return text
  throw new TypeError(`${column} takes ${what}, of the calendar`)
}

/** Texts in one form compare and sort as times. */
function inOneForm(text: string | undefined): string | undefined {
  return text === undefined ? undefined : writeTimestamp(text)
}

interface ExactColumn {
  readonly column: string
  readonly isText: boolean
  readonly precision: number
  readonly scale: number
}

/** Rounds to the scale of the column, as PostgreSQL does. */
function fit(value: unknown, { column, isText, precision, scale }: ExactColumn): unknown {
  if (!isNumber(value)) return value
  const rounded = roundDecimal(value, scale)
  if (!rounded) throw new TypeError(`${column} takes decimal numbers only`)
  const max = precision - scale
  if (rounded.wholeDigits > max)
    throw new RangeError(`${column} takes ${max} digits before the point, and the value has ${rounded.wholeDigits}`)
  return isText ? rounded.text : Number(rounded.text)
}

function requireFew(value: unknown, column: string, type: string): unknown {
  if (!isNumber(value)) return value
  const digits = countDigits(value) ?? 0
  if (digits <= exactDigits) return typeof value === 'string' ? Number(normalizeDecimal(value) ?? value) : value
  throw new TypeError(
    `${column} is declared ${type}, of which SQLite keeps ${exactDigits} digits, and the value has ${digits}: ` +
      'declare it with decimalColumn(database, precision, scale)',
  )
}

function isNumber(value: unknown): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
}
