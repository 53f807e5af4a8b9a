/** The unit of any string: fast-check's `binary` without its list of all million characters, a second of processor time. */
import fc from 'fast-check'

const surrogates = 0xe000 - 0xd800

export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - surrogates }).map(
  (nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + surrogates),
  (text) => {
    const point = String(text).codePointAt(0) ?? 0
    if (String.fromCodePoint(point) !== text) throw new TypeError('not one character')
    return point < 0xd800 ? point : point - surrogates
  },
)
