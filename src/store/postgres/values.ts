/** Values between PostgreSQL's text and JavaScript, kept exact: see the table at `HandlerDatabase`. */
import pg from 'pg'

const { builtins } = pg.types
/** By type: what differs from the driver's own habits. */
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

export function toPostgres(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value // the driver would write the server's local time
}

/**
 * A column of texts as PostgreSQL writes an array: what the driver would make of it later, in so many pieces that the
 * batch and they outlive a young collection. Other columns are left to the driver.
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
