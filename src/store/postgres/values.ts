/** Converts values between PostgreSQL's text and JavaScript exactly: see the table at `HandlerDatabase`. */
import pg from 'pg'
import { portable } from '../portable-values.ts'

const { builtins } = pg.types
/** Parsers by type, where they differ from the driver's defaults. */
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

function parseInteger(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

function padMicroseconds(_: string, seconds: string, fraction = ''): string {
  return `${seconds}.${fraction.padEnd(6, '0')}`
}
