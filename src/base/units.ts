/** Times and sizes as people write them: `30s`, `256MiB` (specification 2.31, 8.3). */

const timeUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 }
const sizeUnits: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

export const timeRule = 'must be a time with its unit, up to 24h: 500ms, 30s, 5min'
export const sizeRule = 'must be a size in bytes, or with a unit: 8KiB, 256MiB, 2GiB'

/** Milliseconds; undefined for any other text. Timers are limited to 24 days, and 0 does not mean "no limit". */
export function parseTime(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,9}) ?(ms|s|min|h)$/.exec(text) ?? []
  const milliseconds = Number(digits) * (timeUnits[unit] ?? 1)
  return milliseconds >= 1 && milliseconds <= 24 * 3_600_000 ? milliseconds : undefined
}

/** Bytes; undefined for any other text. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,12}) ?(KiB|MiB|GiB)?$/.exec(text) ?? []
  const bytes = Number(digits) * (sizeUnits[unit] ?? 1)
  return bytes >= 1 && bytes <= 1024 ** 4 ? bytes : undefined
}
