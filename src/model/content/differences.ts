/** What differs between two answers to the same call: status, headers that matter, canonical JSON or XML (specification 36.11). */
import { createHash } from 'node:crypto'
import { hideCredentials, isSecretName, mayHaveSecret } from '../secret-name.ts'
import { isJsonType } from './json.ts'
import type { XmlElement } from './xml.ts'
import { parseXml } from './xml-reader.ts'

export interface ComparedAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export interface Difference {
  /** `status`, `content-type`, `/person/name`: a JSON pointer, or the elements of XML. */
  readonly what: string
  readonly original: string
  readonly gateway: string
}

export interface Rules {
  /** Names of JSON members, XML elements, attributes and headers that are not compared. */
  readonly masks: ReadonlySet<string>
  /** Names of headers in lower case. */
  readonly headers: readonly string[]
}

/** What a client may depend on. Times, tags and sessions belong to one server. */
export const comparedHeaders = [
  'content-type',
  'location',
  'allow',
  'www-authenticate',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-range',
] as const

/** Maximum number of differences of one call; more are not listed. */
export const maxDifferences = 10
const maxValue = 80
const maxPlace = 400

export function findDifferences(
  original: ComparedAnswer,
  gateway: ComparedAnswer,
  rules: Rules,
): readonly Difference[] {
  const differences: Difference[] = []
  const add = (what: string, one: unknown, two: unknown) => {
    if (differences.length >= maxDifferences) return
    const isSecret = what.split(/[/@[\]]+/).some((name) => isSecretName(name))
    const write = (value: unknown) => (isSecret && value !== undefined ? '[redacted]' : writeValue(value))
    differences.push({ what: what.slice(0, maxPlace), original: write(one), gateway: write(two) })
  }
  if (original.status !== gateway.status) add('status', original.status, gateway.status)
  const masked = new Set([...rules.masks].map((name) => name.toLowerCase()))
  for (const name of rules.headers) {
    if (masked.has(name)) continue
    const [one, two] = [original, gateway].map(({ headers }) => readHeader(name, headers[name]))
    if (!isSame(one, two)) add(name, one, two)
  }
  compareBodies(original, gateway, rules, add)
  return differences
}

type Add = (what: string, one: unknown, two: unknown) => void

/** Spaces and letter case of a media type do not matter, and the host of a location differs by nature. */
function readHeader(name: string, value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined
  const text = [value].flat().join(', ')
  if (name === 'content-type')
    return text
      .toLowerCase()
      .replaceAll('"', '')
      .split(';')
      .map((part) => part.trim())
      .join('; ')
  if (name === 'location') return text.replace(/^https?:\/\/[^/?#]+/i, '')
  return name === 'www-authenticate' ? text.replace(/ .*/s, '') : text
}

function compareBodies(original: ComparedAnswer, gateway: ComparedAnswer, { masks }: Rules, add: Add): void {
  if (original.body.equals(gateway.body)) return
  const types = [original, gateway].map(({ headers }) => String(headers['content-type'] ?? ''))
  const read = (parse: (text: string) => unknown) => [original, gateway].map(({ body }) => attempt(parse, body))
  const [json, otherJson] = types.every(isJsonType) ? read(parseJson) : []
  const [xml, otherXml] = types.every(isXmlType) ? read((text) => parseXml(text, limits).root) : []
  if (json && otherJson) compareJson(json.value, otherJson.value, '', masks, add)
  else if (xml && otherXml) compareXml(xml.value as XmlElement, otherXml.value as XmlElement, '', masks, add)
  else if (types.every((type) => /^text\/|json|xml/i.test(type))) compareLines(original.body, gateway.body, add)
  else add('body', describeBytes(original.body), describeBytes(gateway.body))
}

/** With its parameters. */
function isXmlType(contentType: string): boolean {
  return /^\s*[^\s;/]+\/(?:[^\s;/]+\+)?xml\s*(?:;|$)/i.test(contentType)
}

const limits = { xmlMaxDepth: 256, xmlMaxAttributes: 1000, xmlMaxTextLength: 16 * 1024 ** 2 }

function attempt(parse: (text: string) => unknown, body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: parse(body.toString()) }
  } catch {
    return undefined
  }
}

/** An integer that a double cannot hold stays exact. A number never equals a string. */
function parseJson(text: string): unknown {
  const keep = (_name: string, value: unknown, { source = '' }: { readonly source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value
  return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1])
}

function compareJson(one: unknown, two: unknown, path: string, masks: Rules['masks'], add: Add): void {
  if (Array.isArray(one) && Array.isArray(two)) {
    for (let at = 0; at < Math.max(one.length, two.length); at += 1)
      compareJson(one[at], two[at], `${path}/${at}`, masks, add)
  } else if (isObject(one) && isObject(two)) {
    for (const name of new Set([...Object.keys(one), ...Object.keys(two)]))
      if (!masks.has(name))
        compareJson(memberOf(one, name), memberOf(two, name), `${path}/${toToken(name)}`, masks, add)
  } else if (!isSame(one, two)) add(path || '/', one, two)
}

/** A member's name in a JSON pointer (RFC 6901). */
function toToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Its own: every object inherits a `constructor`. */
function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Attributes in any order; white space between elements does not count. */
function compareXml(one: XmlElement, two: XmlElement, parent: string, masks: Rules['masks'], add: Add): void {
  const path = `${parent}/${one.name}`
  if (one.name !== two.name) {
    add(path, one.name, two.name)
    return
  }
  for (const name of new Set([...Object.keys(one.attributes), ...Object.keys(two.attributes)])) {
    if (masks.has(name) || isSame(one.attributes[name], two.attributes[name])) continue
    add(`${path}/@${name}`, one.attributes[name], two.attributes[name])
  }
  const [first, second] = [one, two].map((element) => element.elements().filter(({ name }) => !masks.has(name)))
  if (!first || !second) return
  const [text, other] = [one, two].map(({ nodes }) =>
    nodes.map((node) => (typeof node === 'string' ? node.trim() : '')).join(''),
  )
  if (!isSame(text, other)) add(path, text, other)
  for (let at = 0; at < Math.max(first.length, second.length); at += 1) {
    const [a, b] = [first[at], second[at]]
    if (a && b) compareXml(a, b, first.length > 1 ? `${path}[${at + 1}]` : path, masks, add)
    else add(`${path}/${(a ?? b)?.name}`, a && writeContent(a), b && writeContent(b))
  }
}

/** Only elements without children: their text has no names by which it could be hidden. */
function writeContent(element: XmlElement): string {
  return element.elements().length === 0 ? element.text : '(elements)'
}

function compareLines(one: Buffer, two: Buffer, add: Add): void {
  const [first = [], second = []] = [one, two].map((body) => body.toString().split(/\r?\n/))
  const max = Math.max(first.length, second.length)
  const at = Array.from({ length: max }, (_, index) => index).find((index) => !isSame(first[index], second[index]))
  if (at !== undefined) add(`line ${at + 1}`, first[at], second[at])
}

function describeBytes(body: Buffer): string {
  return `${body.length} bytes, SHA-256 ${createHash('sha256').update(body).digest('hex').slice(0, 16)}`
}

/** Two times of the same form are the same, as two ids are: they always differ. */
export function isSame(one: unknown, two: unknown): boolean {
  if (one === two) return true
  if (typeof one !== 'string' || typeof two !== 'string') return false
  return volatileForms.some((form) => form.test(one) && form.test(two))
}

const volatileForms: readonly RegExp[] = [
  /^\d{4}-\d\d-\d\d[T -]\d\d[:.]\d\d[:.]\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?$/,
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
]

function writeValue(value: unknown): string {
  if (value === undefined) return '(none)'
  const text = hideCredentials(typeof value === 'object' ? JSON.stringify(value, writeMember) : String(value))
  if (typeof value === 'string' && namesValues.test(text) && mayHaveSecret(text)) return '[redacted]'
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text
}

/** A text with names of its own: a line, a query, JSON in a string. */
const namesValues = /[=:<{]/

function writeMember(name: string, value: unknown): unknown {
  if (isSecretName(name)) return '[redacted]'
  return typeof value === 'bigint' ? String(value) : value
}
