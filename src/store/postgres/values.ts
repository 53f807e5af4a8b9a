/** Converts values between PostgreSQL's text and JavaScript exactly: see the table at `HandlerDatabase`. */
import pg from 'pg'
import { portable } from '../portable-values.ts'

const { builtins } = pg.types
/** By type: differences from the driver's defaults. */
const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, parseInteger],
  [builtins.TIMESTAMP, (text) => text.replace(/(:\d\d)(?:\.(\d+))?$/, padMicroseconds)],
  [builtins.TIMESTAMPTZ, String],
  [builtins.DATE, String],
])

export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    (format === 'text' && parsers.get(oid)) || pg.types.getTypeParser(oid, format)) as never,
}

/** Portable values (specification 5.60). */
const portableParsers = new Map<number, (text: string) => unknown>([
  [builtins.NUMERIC, portable.decimal],
  [builtins.TIMESTAMPTZ, portable.timestamptz],
])

export const portableTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    (format === 'text' && portableParsers.get(oid)) || types.getTypeParser(oid, format)) as never,
}

export function toPostgres(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value // the driver would write the server's local time
}

/**
 * A column of texts as a PostgreSQL array: the driver would build it later, in so many pieces that the batch outlives a
 * young collection. Other columns are left to the driver.
 */
export function toPostgresArray(values: readonly unknown[]): unknown {
  if (!values.every((value) => typeof value === 'string' || value === null)) return values
  return `{${(values as (string | null)[]).map(writeElement).join()}}`
}

function writeElement(text: string | null): string {
  return text === null ? 'NULL' : `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}

function parseInteger(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

function padMicroseconds(_: string, seconds: string, fraction = ''): string {
  return `${seconds}.${fraction.padEnd(6, '0')}`
}
