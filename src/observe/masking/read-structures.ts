/**
 * Reads JSON and XML from a position in a text, as far as possible; in linear time, whatever the text (specification
 * 8.7).
 */
import { escapeHtml } from '../../base/escape.ts'

/** Where a value is in the text, and how its form is read and written. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly decode: (raw: string) => string
  readonly encode: (value: string) => string
  /** A number, `true`, `false` or `null` of JSON. */
  readonly isBare?: boolean
}

/** The events of a text, in order. */
export interface Listener {
  /** Number of open elements. */
  readonly depth: number
  open(name: string, start: number, isArray?: boolean): void
  /** Called for the name of a member of JSON. */
  name(place: Place): void
  value(name: string, place: Place, isAttribute?: boolean): void
  text(place: Place): void
  remark(start: number, end: number): void
  close(end: number, isWhole?: boolean): void
}

type Form = Pick<Place, 'decode' | 'encode' | 'isBare'>
const asItIs: Form = { decode: (raw) => raw, encode: (value) => value }
const bareForm: Form = { ...asItIs, isBare: true }

/**
 * Also objects as JavaScript, Java and Python print them: names without quotation marks, `=` for `:`. @returns its end
 */
export function skipJson(text: string, start: number, listener: Listener): number {
  const outside = listener.depth
  const names: string[] = []
  let name = ''
  let at = start
  while (at < text.length) {
    const character = text[at] as string
    const begun = at
    if (character === '{' || character === '[') {
      const own = name || (names.at(-1) ?? '')
      listener.open(own, at, character === '[')
      names.push(own)
      name = ''
      at += 1
    } else if (character === '}' || character === ']') {
      at += 1
      listener.close(at)
      names.pop()
      name = ''
      if (listener.depth === outside) return at
    } else if (character === '/' && (text[at + 1] === '*' || text[at + 1] === '/')) {
      at = text[at + 1] === '*' ? findMark(text, '*/', at) : findMark(text, '\n', at)
      listener.remark(begun + 2, at)
      if (text[at] === '*') at += 2
    } else if (character === '<' && /[\w!?/]/.test(text[at + 1] ?? '')) {
      break // XML again
    } else if (/[\s,:=]/.test(character)) {
      at += 1
    } else {
      const isString = character === '"' || character === "'"
      at = isString ? endOfString(text, at) : endOf(bare, text, at)
      if (at === begun) at += 1
      const raw = text.slice(begun, at)
      separator.lastIndex = at
      const [separation, before = ''] = raw.length <= 1000 ? (separator.exec(text) ?? []) : []
      if (separation !== undefined) {
        if (before.includes('/')) listener.remark(at, at + before.length)
        name = isString ? json.decode(raw) : raw
        listener.name({ start: begun, end: at, ...(isString ? json : asItIs) })
        at += separation.length
      } else {
        if (!isString && name !== '') at = endOf(bareValue, text, begun)
        const form = character === '"' ? json : character === "'" ? single : bareForm
        listener.value(name || (names.at(-1) ?? ''), { start: begun, end: at, ...form })
        name = ''
      }
    }
  }
  while (listener.depth > outside) listener.close(at)
  return at
}

const bare = /[^\s,:={}[\]"'<]*/y
const bareValue = /[^,{}[\]"'<\n]*/y
/** Also after comments. */
const separator = /(\s{0,200}(?:(?:\/\*(?:[^*]|\*(?!\/)){0,500}\*\/|\/\/[^\n]{0,500}\n)\s{0,200}){0,5})(?::|=>?)/y
const json: Form = {
  decode(raw) {
    try {
      return String(JSON.parse(raw))
    } catch {
      return raw.replace(/^["']|["']$/g, '').replace(/\\(?:u([\da-f]{4})|(.))/gi, (_, unit, character) => {
        return unit
          ? String.fromCharCode(Number.parseInt(unit, 16))
          : ({ n: '\n', t: '\t', r: '\r' }[character as string] ?? character)
      })
    }
  },
  encode: (value) => JSON.stringify(value),
}
const single: Form = { decode: json.decode, encode: (value) => `'${JSON.stringify(value).slice(1, -1)}'` }

/** @returns the index after the closing quotation mark */
export function endOfString(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at + 1
  }
  return text.length
}

/** One element with its content. @returns its end */
export function skipXml(text: string, start: number, listener: Listener): number {
  const open: string[] = []
  const counts = new Map<string, number>()
  const close = (end: number, isWhole: boolean) => {
    const name = open.pop() ?? ''
    counts.set(name, (counts.get(name) ?? 1) - 1)
    listener.close(end, isWhole)
  }
  let at = start
  while (at < text.length) {
    if (text[at] !== '<' || text.startsWith(cdata, at)) {
      at = skipTexts(text, at, listener)
    } else if (text.startsWith('<!--', at)) {
      at = skipRemark(text, at + 4, '-->', listener)
    } else if (text.startsWith('<?', at)) {
      const isDeclaration = /^<\?xml\s/.test(text.slice(at, at + 6))
      at = isDeclaration
        ? Math.min(text.length, findMark(text, '?>', at) + 2)
        : skipRemark(text, at + 2, '?>', listener)
    } else if (text[at + 1] === '!') {
      at = skipRemark(text, at + 2, '>', listener)
    } else if (text[at + 1] === '/') {
      const begun = at
      const end = endOf(tagName, text, at + 2)
      const name = text.slice(at + 2, end)
      at = Math.min(text.length, findMark(text, '>', end) + 1)
      if ((counts.get(name) ?? 0) > 0) {
        while (open.at(-1) !== name) close(begun, false)
        close(begun, true)
      }
    } else {
      const end = endOf(tagName, text, at + 1)
      const name = text.slice(at + 1, end)
      at = end
      if (name === '') {
        at += 1 // a lesser-than sign
      } else {
        const opened = skipAttributes(text, end, name, listener)
        at = opened.at
        if (opened.isEmpty) listener.close(at)
        else {
          open.push(name)
          counts.set(name, (counts.get(name) ?? 0) + 1)
        }
      }
    }
    if (open.length === 0) return at
  }
  while (open.length > 0) close(text.length, !/^input$/i.test(open.at(-1) ?? '')) // which HTML never closes
  return at
}

/** Text that its reader gets as one, also if a part of it is CDATA. */
function skipTexts(text: string, start: number, listener: Listener): number {
  const places: Place[] = []
  let at = start
  while (at < text.length && (text[at] !== '<' || text.startsWith(cdata, at))) {
    const isData = text[at] === '<'
    const from = isData ? at + cdata.length : at
    const end = findMark(text, isData ? ']]>' : '<', from)
    if (/\S/.test(text.slice(from, end))) places.push({ start: from, end, ...(isData ? asItIs : entities) })
    at = isData ? Math.min(text.length, end + 3) : end
  }
  const [place, ...others] = places
  if (!place) return at
  const decode = () => places.map((each) => each.decode(text.slice(each.start, each.end))).join('')
  listener.text(others.length === 0 ? place : { start, end: at, decode, encode: escapeHtml })
  return at
}

const cdata = '<![CDATA['

/** A structure that begins in a tag is masked after it, except its attributes. */
function skipAttributes(
  text: string,
  start: number,
  name: string,
  listener: Listener,
): { at: number; isEmpty: boolean } {
  const attributes: [name: string, place: Place][] = []
  let at = start
  for (;;) {
    at = endOf(space, text, at)
    if (at >= text.length || text[at] === '<') break
    if (text[at] === '>' || text.startsWith('/>', at)) break
    const end = endOf(attributeName, text, at)
    const attribute = text.slice(at, end)
    at = end > at ? end : at + 1
    const equals = endOf(space, text, at)
    if (text[equals] !== '=') continue
    const value = endOf(space, text, equals + 1)
    const quote = text[value]
    const isQuoted = quote === '"' || quote === "'"
    at = isQuoted ? Math.min(text.length, findMark(text, quote, value + 1) + 1) : endOf(unquoted, text, value)
    attributes.push([attribute, { start: value, end: at, ...(isQuoted ? quoted : entities) }])
  }
  const isEmpty = text.startsWith('/>', at)
  at = Math.min(text.length, at + (isEmpty ? 2 : text[at] === '>' ? 1 : 0))
  listener.open(name, at)
  for (const [attribute, place] of attributes) listener.value(attribute, place, true)
  return { at, isEmpty }
}

const tagName = /[^\s<>/="'&]*/y
const attributeName = /[^\s<>/="']*/y
const unquoted = /[^\s<>"']*/y
const space = /\s*/y

const entities: Form = {
  decode: (raw) =>
    raw.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/gi, (whole, decimal, hex, name) => {
      if (name) return named[name.toLowerCase() as string] ?? whole
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    }),
  encode: escapeHtml,
}
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const quoted: Form = {
  decode: (raw) => entities.decode(raw.replace(/^["']|["']$/g, '')),
  encode: (value) => `"${escapeHtml(value)}"`,
}

function skipRemark(text: string, start: number, mark: string, listener: Listener): number {
  const end = findMark(text, mark, start)
  listener.remark(start, end)
  return Math.min(text.length, end + mark.length)
}

/** The end of the text if it is not there. */
export function findMark(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from)
  return index < 0 ? text.length : index
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}
