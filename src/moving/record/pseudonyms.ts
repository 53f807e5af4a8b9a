/**
 * Pseudonyms in place of values: of the same shape, the same one for the same value in URLs and bodies and in all sessions
 * of a project, and not to be turned back without the project's key (specification 38.4).
 */
import { hash } from 'node:crypto'

export interface Pseudonyms {
  of(text: string): string
}

/** Longer texts differ in enough places that no two of them get the same pseudonym. */
const maxExact = 12
const maxRemembered = 20_000

export function openPseudonyms(key: string): Pseudonyms {
  const known = new Map<string, string>()
  const draw = (text: string) => hash('sha256', `${key}\0${text}`, 'buffer')

  /** Each character is moved by a number that those before it decide: no two texts of one shape meet. */
  const replaceExactly = (text: string) => {
    let result = ''
    for (let at = 0; at < text.length; at += 1)
      result += shift(text.charAt(at), draw(`${at} ${text.slice(0, at)}`).readUInt32BE())
    return result
  }
  const replaceLong = (text: string) => {
    let numbers = draw(text)
    let result = ''
    for (let at = 0; at < text.length; at += 1) {
      if (at > 0 && at % 32 === 0) numbers = hash('sha256', numbers, 'buffer')
      result += shift(text.charAt(at), numbers[at % 32] ?? 0)
    }
    return result
  }
  const replace = (text: string) => {
    const [, time] = /^\d{4}-\d\d-\d\d([T -].*)?$/s.exec(text) ?? []
    if (/^\d{4}-\d\d-\d\d/.test(text) && (text.length === 10 || time !== undefined))
      return replaceDate(text, draw(text))
    return text.length <= maxExact ? replaceExactly(text) : replaceLong(text)
  }
  return {
    of(text) {
      if (text === '') return ''
      const earlier = known.get(text)
      if (earlier !== undefined) return earlier
      const made = replace(text)
      if (known.size < maxRemembered && text.length < 200) known.set(text, made)
      return made
    },
  }
}

const ranges = ['az', 'AZ', '19'].map(([from = '', to = '']) => ({
  from: from.charCodeAt(0),
  count: to.charCodeAt(0) - from.charCodeAt(0) + 1,
}))

/** A zero stays: `007` and `10` keep their length as numbers. Punctuation stays, too. */
function shift(character: string, by: number): string {
  const code = character.charCodeAt(0)
  for (const { from, count } of ranges)
    if (code >= from && code < from + count) return String.fromCharCode(from + ((code - from + by) % count))
  return code < 128 ? character : 'x'
}

/** A day that the calendar has; of a time after it, the digits that any time may have. */
function replaceDate(text: string, numbers: Buffer): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const [year = 0, month = 0, day = 0, ...rest] = numbers
  const date = `${1950 + (year % 70)}-${two(1 + (month % 12))}-${two(1 + (day % 28))}`
  let at = 0
  const time = text.slice(10).replace(/\d\d(?=[:.])/g, () => two((rest[at++] ?? 0) % 24))
  return (
    date +
    time.replace(/(?<=[:.])\d+/g, (digits) =>
      two((rest[at++] ?? 0) % 60)
        .padEnd(digits.length, '0')
        .slice(0, digits.length),
    )
  )
}
