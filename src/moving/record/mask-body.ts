/**
 * Masks the values of a recorded body and keeps its structure: names, types, lengths, order (specification 38.4). A value
 * whose name is one of credentials never stays, whatever else does.
 */
import { isUtf8 } from 'node:buffer'
import { hideCredentials, hideUrlCredentials, isSecretName, isSecretParameter } from '../../model/secret-name.ts'
import { maskRows } from '../../observe/masking/mask-rows.ts'
import { isNameOfSecret, nameLike, valueLike } from '../../observe/masking/mask-structures.ts'
import { entities } from '../../observe/masking/read-structures.ts'
import { redactText } from '../../observe/masking/redact.ts'
import type { Pseudonyms } from './pseudonyms.ts'

export interface Masking {
  /** False: only the values of secret names, and of those that `isNamed`, are masked. */
  readonly isFull: boolean
  readonly isNamed: (name: string) => boolean
  readonly pseudonyms: Pseudonyms
}

export const hidden = '********'

/** @returns undefined if the body must be left out: it is no text, or its encoding is not a superset of ASCII */
export function maskBody(bytes: Buffer, contentType: string, masking: Masking): Buffer | undefined {
  const kind = kindOf(contentType)
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  if (kind === undefined && masking.isFull) return undefined
  if (kind === undefined && (encoding === 'latin1' || bytes.includes(0))) return bytes
  if (bytes.includes(0)) return undefined
  const text = bytes.toString(encoding)
  const masked = kind ? maskers[kind](text, masking) : redactText(text)
  return masked === text ? bytes : Buffer.from(masked, encoding)
}

type Kind = 'json' | 'xml' | 'text'

function kindOf(contentType: string): Kind | undefined {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  if (/[/+]json$/.test(type)) return 'json'
  if (/[/+]x?html$|[/+]xml$/.test(type)) return 'xml'
  return /^text\/|\/x-www-form-urlencoded$|^application\/javascript$/.test(type) || type === '' ? 'text' : undefined
}

const maskers: Readonly<Record<Kind, (text: string, masking: Masking) => string>> = {
  json: maskJson,
  xml: maskXml,
  text: maskWords,
}

function maskJson(text: string, masking: Masking): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  let value: unknown
  try {
    value = JSON.parse(text.slice(mark.length))
  } catch {
    return maskWords(text, masking)
  }
  const masked = maskValue(value, '', masking)
  const plain = JSON.stringify(value)
  const written = JSON.stringify(masked)
  return written === plain ? text : mark + JSON.stringify(masked, undefined, text.includes('\n') ? 2 : undefined)
}

function maskValue(value: unknown, name: string, masking: Masking): unknown {
  const isBelow = isHidden(name, masking)
  if (Array.isArray(value)) {
    const [first, ...rest] = value
    const pair =
      !isBelow && rest.length === 1 && namesSecret(first) ? [first, maskValue(rest[0], first, masking)] : undefined
    return pair ?? value.map((one) => maskValue(one, name, masking))
  }
  if (typeof value === 'object' && value !== null) {
    const all = Object.entries(value)
    const [, named] = all.find(([key, inner]) => nameLike.test(key) && namesSecret(inner)) ?? []
    const nameOf = (key: string) => (isBelow ? name : typeof named === 'string' && valueLike.test(key) ? named : key)
    const entries = all.map(([key, inner]) => [
      masking.isFull && isValue.test(key) ? masking.pseudonyms.of(key) : redactText(key),
      maskValue(inner, nameOf(key), masking),
    ])
    return Object.fromEntries(entries)
  }
  if (typeof value === 'number') {
    if (isSecretParameter(name)) return 0
    return isMasked(name, masking) ? maskNumber(value, masking) : value
  }
  return typeof value === 'string' ? maskText(value, name, masking) : value
}

/** Of a row: `{ "name": "password", "value": … }`. */
function namesSecret(value: unknown): value is string {
  return typeof value === 'string' && isNameOfSecret(value, isSecretParameter)
}

/** An address or a number where a name should be: `{ "kim@example.com": … }`. */
const isValue = /@|\d{4}/

function maskNumber(value: number, { pseudonyms }: Masking): number {
  const masked = Number(String(value).replace(/^(-?)([\d.]+)/, (_, sign, digits) => sign + pseudonyms.of(digits)))
  return Number.isFinite(masked) ? masked : 0
}

function isHidden(name: string, { isNamed }: Masking): boolean {
  return isSecretParameter(name) || isNamed(name)
}

function isMasked(name: string, masking: Masking): boolean {
  return masking.isFull || isHidden(name, masking)
}

export function maskText(text: string, name: string, masking: Masking): string {
  if (isSecretParameter(name)) return text === '' ? '' : hidden
  if (!isMasked(name, masking)) return redactText(text)
  const core = text.trim()
  return text.replace(core, () => masking.pseudonyms.of(core))
}

const declaration = /<\?[\s\S]*?(?:\?>|$)|<![^[>]*(?:\[[\s\S]*?(?:\]\s*>|$)|>|$)/
/** Never tried twice, also where it has no end. */
const tag = /<(\/?)([^\s/<>!?"']*)((?:"[^"]*"|'[^']*'|[^"'<>])*)(?:(>)|(?=<)|["'][\s\S]*$|$)/
const xmlPart = new RegExp(
  `<!--[\\s\\S]*?(?:-->|$)|<!\\[CDATA\\[([\\s\\S]*?)(?:\\]\\]>|$)|${declaration.source}|${tag.source}|[^<]+`,
  'g',
)

/** Elements and attributes keep their names. What is within an element to hide has its name. */
function maskXml(text: string, masking: Masking): string {
  if (isRefusalPage(text)) return text.replace(/(User Id: )[^<>]*?( is not authorized)/g, `$1${hidden}$2`)
  let name = ''
  let depth = 0 // of elements with this name, while one is open that is to hide
  let row = '' // `<KEY1>password</KEY1>` names the value behind it
  return text.replace(xmlPart, (part, cdata, slash, element, attributes, end) => {
    if (part.startsWith('<!--')) return masking.isFull ? '' : redactText(part)
    if (/^<[?!](?!\[CDATA)/.test(part)) return part.startsWith('<?xml ') ? part : masking.isFull ? '' : redactText(part)
    if (element === undefined) {
      const plain = cdata ?? part
      if (nameLike.test(name) && plain.trim() !== '') row = namesSecret(plain) ? plain.trim() : ''
      const known = row !== '' && valueLike.test(name) ? row : name
      if (cdata === undefined) return maskXmlText(part, known, masking)
      return `<![CDATA[${maskText(cdata, known, masking).replaceAll(']]>', ']] >')}]]>`
    }
    if (end === undefined) return maskWords(part, masking)
    const local = localName(element)
    const pairs = [...attributes.matchAll(attribute)].map(readAttribute)
    const [, named] = pairs.find(([key, value]) => nameLike.test(key) && namesSecret(value)) ?? []
    const isEmpty = attributes.endsWith('/') || /^input$/i.test(local)
    if (depth === 0 && slash === '') name = isEmpty ? local : (named ?? local)
    if (local === name && !isEmpty && isHidden(name, masking)) depth = slash === '' ? depth + 1 : Math.max(0, depth - 1)
    return `<${slash}${element}${maskAttributes(attributes, named, masking)}>`
  })
}

/** The page of the original that clients and monitors look for words in. */
export function isRefusalPage(text: string): boolean {
  return /^\s*<HTML><HEAD><TITLE>RESTListeningConnector<\/TITLE>/i.test(text)
}

/** An entity is one character. */
function maskXmlText(text: string, name: string, masking: Masking): string {
  if (text.trim() === '') return text
  if (!isMasked(name, masking)) {
    const plain = entities.decode(text)
    const safe = redactText(plain)
    return safe === plain ? text : entities.encode(safe)
  }
  if (isSecretParameter(name)) return hidden
  return text
    .split(/(&[^;\s]{1,10};)/)
    .map((part, at) => (at % 2 === 1 ? 'x' : maskText(part, name, masking)))
    .join('')
}

const attribute = /([^\s=]{1,200})(\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g

/** Without its namespace, and the value in whatever quotation marks. */
function readAttribute([, name = '', , double, single, bare]: RegExpExecArray): readonly [name: string, value: string] {
  return [localName(name), double ?? single ?? bare ?? '']
}

/** @param named the secret that one of them names: `<input name="token" value="…">` */
function maskAttributes(attributes: string, named: string | undefined, masking: Masking): string {
  return attributes.replace(attribute, (whole, name, equals, double, single, bare) => {
    if (/^xmlns(?::|$)|^xml:|^xsi:/.test(name)) return whole
    const known = named !== undefined && valueLike.test(name) ? named : localName(name)
    const text = maskXmlText(double ?? single ?? bare ?? '', known, masking)
    return `${name}${equals}"${text.replaceAll('"', '&quot;')}"`
  })
}

function localName(name: string): string {
  return name.replace(/^.*:/, '')
}

/** Of a text without structure: each word, and `name=value` by its name. */
function maskWords(text: string, { isFull, pseudonyms }: Masking): string {
  // Before names: what follows `Authorization: ` is only the scheme
  const safe = hideNamed(hideUrlCredentials(hideCredentials(text), hidden))
  if (!isFull) return maskRows(safe, isSecretName)
  return safe.replace(/[^\s,;:|=&"'<>()[\]{}*]+/g, (word) => pseudonyms.of(word))
}

/** Names are looked for in what the others have as a value, too. */
function hideNamed(text: string): string {
  const named = /([\w.-]{1,100})["']?\s{0,20}[=:]\s{0,20}/g
  const value = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s&;,"'<>]*/sy
  let result = ''
  let done = 0
  for (let found = named.exec(text); found; found = named.exec(text)) {
    if (!isSecretParameter(found[1] ?? '')) continue
    value.lastIndex = named.lastIndex
    const [secret = ''] = value.exec(text) ?? []
    const [quote = ''] = /^["']/.exec(secret) ?? []
    if (secret !== '') result += `${text.slice(done, named.lastIndex)}${quote}${hidden}${quote}`
    named.lastIndex += secret.length
    if (secret !== '') done = named.lastIndex
  }
  return result + text.slice(done)
}
