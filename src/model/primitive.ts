/**
 * The primitive types of document templates: the texts that each accepts, and the value that a handler receives
 * (specification 2.15).
 */
import type { PrimitiveType } from './document-template.ts'

/**
 * The value of a URL element by its type: Integer and Decimal → number (Decimal beyond 15 digits stays a string),
 * Boolean → boolean, Binary → Buffer, the others → string.
 */
export type UriValue = string | number | boolean | Buffer

export interface ReadPrimitive {
  /** Undefined if the text is not a value of the type. */
  readonly value: UriValue | undefined
  /** Follows "must be". */
  readonly rule: string
}

export function readPrimitive(type: PrimitiveType, text: string): ReadPrimitive {
  const { read, rule } = primitives[type]
  return { value: read(text), rule }
}

/** The text that reads as this value; for a value that no text gives, the nearest. */
export function writePrimitive(value: UriValue): string {
  if (typeof value === 'number') return writeNumber(value)
  return typeof value === 'object' ? value.toString('base64url') : String(value)
}

interface Primitive {
  readonly read: (text: string) => UriValue | undefined
  readonly rule: string
}

const text: Primitive = { read: (value) => value, rule: 'a text' }

const primitives: Readonly<Record<PrimitiveType, Primitive>> = {
  Binary: { read: readBinary, rule: 'base64' },
  Boolean: { read: (value) => booleans.get(value), rule: 'a Boolean: true or false, 1 or 0, Y or N' },
  Character: text,
  Date: { read: (value) => (isDate(value) ? value : undefined), rule: 'a Date, YYYY-MM-DD' },
  DateTime: { read: readDateTime, rule: 'a DateTime, YYYY-MM-DDTHH:MM:SS or YYYY-MM-DD-HH.MM.SS.ffffff' },
  Decimal: { read: readDecimal, rule: 'a Decimal: digits, with a point between them or not' },
  Integer: { read: readInteger, rule: `an Integer of up to ${Number.MAX_SAFE_INTEGER}` },
  String: text,
  Text: text,
  Time: { read: (value) => (clock.test(value) ? value : undefined), rule: 'a Time, HH:MM:SS or HH.MM.SS.ffffff' },
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['Y', true],
  ['false', false],
  ['0', false],
  ['N', false],
])

/** Either alphabet of RFC 4648, with or without padding; only canonical encodings. */
function readBinary(value: string): Buffer | undefined {
  const plain = value.replace(/={1,2}$/, '')
  if (plain !== value && value.length % 4 !== 0) return undefined
  const bytes = Buffer.from(plain, 'base64')
  const isExact = bytes.toString('base64url') === plain.replaceAll('+', '-').replaceAll('/', '_')
  return isExact && !(/[+/]/.test(plain) && /[-_]/.test(plain)) ? bytes : undefined
}

/** `YYYY-MM-DD`, of the calendar. */
export function isDate(value: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)
  if (!match) return false
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number)
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return year > 0 && days !== undefined && day >= 1 && day <= days
}

/**
 * With colons after ISO 8601, seconds and zone optional, an hour of one digit and a zone without a colon as the original
 * writes them; with points as the gateway itself writes it (specification 7.7).
 */
const clock =
  /^(?:(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?|(?:[01]\d|2[0-3])\.[0-5]\d\.[0-5]\d(?:\.\d{1,6})?)$/

function readDateTime(value: string): string | undefined {
  const time = value.slice(11)
  const separator = value[10] ?? ''
  const expected = time[2] === '.' ? '-' : 'T '
  return separator !== '' && expected.includes(separator) && isDate(value.slice(0, 10)) && clock.test(time)
    ? value
    : undefined
}

function readInteger(value: string): number | undefined {
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) ? number + 0 : undefined // -0 is 0
}

/** A number holds 15 digits exactly; longer ones stay strings. */
function readDecimal(value: string): number | string | undefined {
  if (!/^-?\d+(?:\.\d+)?$/.test(value)) return undefined
  const digits = value.replace(/^-?0*\.?0*/, '').replace('.', '')
  return digits.length <= 15 ? Number(value) + 0 : value
}

/** Without the exponent that JavaScript writes for very small numbers. */
function writeNumber(value: number): string {
  const [, sign = '', first = '', rest = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`
}
