/**
 * Decimal numbers as their digits: compared, rounded and counted without a binary fraction in between (specification
 * 2.28, 5.60).
 */

interface Decimal {
  readonly sign: -1 | 0 | 1
  /** Digits before the point, without leading zeros. */
  readonly whole: string
  /** Digits after the point, without trailing zeros. */
  readonly fraction: string
}

/** Every form in which a database, JavaScript or a person writes one. */
const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i

/** @returns undefined for a text that is no decimal number */
function read(value: string | number | bigint): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = syntax.exec(String(value).trim()) ?? []
  if (sign === undefined || whole + fraction === '') return undefined
  const places = Number(exponent)
  const digits = places >= 0 ? whole + fraction.padEnd(places, '0') : whole.padStart(-places, '0') + fraction
  const point = places >= 0 ? whole.length + places : Math.max(whole.length, -places) + places
  return trim(sign === '-' ? -1 : 1, digits.slice(0, point), digits.slice(point))
}

function trim(sign: -1 | 1, digits: string, places: string): Decimal {
  const whole = digits.replace(/^0+/, '')
  const fraction = places.slice(0, places.length - countTrailingZeros(places))
  return { sign: whole + fraction === '' ? 0 : sign, whole, fraction }
}

/** A pattern would take quadratic time on zeros before another digit. */
function countTrailingZeros(text: string): number {
  let count = 0
  while (count < text.length && text[text.length - 1 - count] === '0') count += 1
  return count
}

function write({ sign, whole, fraction }: Decimal): string {
  return `${sign < 0 ? '-' : ''}${whole || '0'}${fraction && `.${fraction}`}`
}

/** Without exponent, leading zeros or trailing zeros; undefined for a text that is no decimal number. */
export function normalizeDecimal(value: string | number | bigint): string | undefined {
  const decimal = read(value)
  return decimal && write(decimal)
}

/** Negative, 0 or positive, as for `sort`. Both must be decimal numbers. */
export function compareDecimals(a: string, b: string): number {
  const [one, other] = [requireDecimal(a), requireDecimal(b)]
  if (one.sign !== other.sign) return one.sign - other.sign
  return one.sign * (compareText(pad(one, other), pad(other, one)) || compareText(one.fraction, other.fraction))
}

function pad({ whole }: Decimal, other: Decimal): string {
  return whole.padStart(other.whole.length, '0')
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Significant digits: 2 of `0.00120`, 1 of `1000`; undefined for a text that is no decimal number. */
export function countDigits(value: string | number | bigint): number | undefined {
  const decimal = read(value)
  if (!decimal) return undefined
  const digits = (decimal.whole + decimal.fraction).replace(/^0+/, '')
  return digits.length - (decimal.fraction === '' ? countTrailingZeros(digits) : 0)
}

/** Rounds to this number of decimal places, half away from zero, as PostgreSQL does. @returns also the digits before the point */
export function roundDecimal(
  value: string | number | bigint,
  scale: number,
): { readonly text: string; readonly wholeDigits: number } | undefined {
  const decimal = read(value)
  if (!decimal) return undefined
  const { sign, whole, fraction } = decimal
  const kept = BigInt(`${whole}${fraction.slice(0, scale).padEnd(scale, '0')}` || '0')
  const rounded = String(kept + ((fraction[scale] ?? '0') >= '5' ? 1n : 0n)).padStart(scale + 1, '0')
  const point = rounded.length - scale
  const result = trim(sign < 0 ? -1 : 1, rounded.slice(0, point), rounded.slice(point))
  return { text: write(result), wholeDigits: result.whole.length }
}

function requireDecimal(value: string): Decimal {
  const decimal = read(value)
  if (!decimal) throw new RangeError(`${JSON.stringify(value.slice(0, 64))} is not a decimal number`)
  return decimal
}
