/**
 * Masks the values of a recorded body and keeps its structure: names, types, lengths, order (specification 38.4). A value
 * whose name is one of credentials never stays, whatever else does.
 */
import { hideCredentials, hideUrlCredentials, isSecretParameter } from '../model/secret-name.ts'
import type { Pseudonyms } from './pseudonyms.ts'

export interface Masking {
  /** False: only the values of secret names, and of those that `isNamed`, are masked. */
  readonly isFull: boolean
  readonly isNamed: (name: string) => boolean
  readonly pseudonyms: Pseudonyms
}

export const hidden = '********'

/** @returns undefined where nothing of it may stay: it is no text */
export function maskBody(bytes: Buffer, contentType: string, masking: Masking): Buffer | undefined {
  const kind = kindOf(contentType)
  if (kind === undefined) return masking.isFull ? undefined : bytes
  const text = decode(bytes)
  if (text === undefined) return masking.isFull ? undefined : bytes
  const masked = maskers[kind](text, masking)
  return masked === text ? bytes : Buffer.from(masked)
}

type Kind = 'json' | 'xml' | 'text'

function kindOf(contentType: string): Kind | undefined {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  if (/[/+]json$/.test(type)) return 'json'
  if (/[/+]x?html$|[/+]xml$/.test(type)) return 'xml'
  return /^text\/|\/x-www-form-urlencoded$|^application\/javascript$/.test(type) || type === '' ? 'text' : undefined
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const maskers: Readonly<Record<Kind, (text: string, masking: Masking) => string>> = {
  json: maskJson,
  xml: maskXml,
  text: maskWords,
}

function maskJson(text: string, masking: Masking): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return maskWords(text, masking)
  }
  const masked = maskValue(value, '', masking)
  const plain = JSON.stringify(value)
  const written = JSON.stringify(masked)
  return written === plain ? text : JSON.stringify(masked, undefined, text.includes('\n') ? 2 : undefined)
}

function maskValue(value: unknown, name: string, masking: Masking): unknown {
  if (Array.isArray(value)) return value.map((one) => maskValue(one, name, masking))
  if (typeof value === 'object' && value !== null) {
    const isBelow = isHidden(name, masking)
    const entries = Object.entries(value).map(([key, inner]) => [
      masking.isFull && isValue.test(key) ? masking.pseudonyms.of(key) : key,
      maskValue(inner, isBelow ? name : key, masking),
    ])
    return Object.fromEntries(entries)
  }
  if (typeof value === 'number') {
    if (isSecretParameter(name)) return 0
    return isMasked(name, masking) ? maskNumber(value, masking) : value
  }
  return typeof value === 'string' ? maskText(value, name, masking) : value
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
  if (!isMasked(name, masking)) return hideKept(text)
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
  return text.replace(xmlPart, (part, cdata, slash, element, attributes, end) => {
    if (part.startsWith('<!--')) return masking.isFull ? '' : part
    if (cdata !== undefined) return `<![CDATA[${maskText(cdata, name, masking).replaceAll(']]>', ']] >')}]]>`
    if (/^<[?!]/.test(part)) return part.startsWith('<?xml ') || !masking.isFull ? part : ''
    if (element === undefined) return maskXmlText(part, name, masking)
    if (end === undefined) return maskWords(part, masking)
    const local = localName(element)
    if (depth === 0 && slash === '') name = local
    const isEmpty = attributes.endsWith('/')
    if (local === name && !isEmpty && isHidden(name, masking)) depth = slash === '' ? depth + 1 : Math.max(0, depth - 1)
    return `<${slash}${element}${maskAttributes(attributes, masking)}>`
  })
}

/** The page of the original that clients and monitors look for words in. */
export function isRefusalPage(text: string): boolean {
  return /^\s*<HTML><HEAD><TITLE>RESTListeningConnector<\/TITLE>/i.test(text)
}

/** Of a value that is kept. */
function hideKept(text: string): string {
  return hideUrlCredentials(hideCredentials(text), hidden)
}

/** An entity is one character. */
function maskXmlText(text: string, name: string, masking: Masking): string {
  if (!isMasked(name, masking) || text.trim() === '') return hideKept(text)
  if (isSecretParameter(name)) return hidden
  return text
    .split(/(&[^;\s]{1,10};)/)
    .map((part, at) => (at % 2 === 1 ? 'x' : maskText(part, name, masking)))
    .join('')
}

const attribute = /([^\s=]{1,200})(\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g

function maskAttributes(attributes: string, masking: Masking): string {
  return attributes.replace(attribute, (whole, name, equals, double, single, bare) => {
    if (/^xmlns(?::|$)|^xml:|^xsi:/.test(name)) return whole
    const text = maskXmlText(double ?? single ?? bare ?? '', localName(name), masking)
    return `${name}${equals}"${text.replaceAll('"', '&quot;')}"`
  })
}

function localName(name: string): string {
  return name.replace(/^.*:/, '')
}

/** Of a text without structure: each word, and `name=value` by its name. */
function maskWords(text: string, masking: Masking): string {
  const safe = hideKept(text) // before names: what follows `Authorization: ` is only the scheme
  const plain = safe.replace(/([\w.-]{1,100})(["']?\s*[=:]\s*["']?)([^\s&;,"'<>]+)/g, (whole, name, between) =>
    isSecretParameter(name) ? `${name}${between}${hidden}` : whole,
  )
  if (!masking.isFull) return plain
  return plain.replace(/[^\s,;:|=&"'<>()[\]{}*]+/g, (word) => masking.pseudonyms.of(word))
}
