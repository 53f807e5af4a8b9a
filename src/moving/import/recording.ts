/** A recorded request with its response and its origin (specification 16.6). */
import { hash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBody } from '../../model/content/body-path.ts'
import type { Method } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { asList, asObject, type Json } from './json-reference.ts'
import { carriesSecret, type PlacedUrl } from './place-url.ts'
import type { Claim } from './verification.ts'
import { quoteNames } from './write-notes.ts'

export interface RecordedCall {
  /** `requests.txt:3`, `log.entries[2]` */
  readonly place: string
  readonly method: Method
  readonly url: PlacedUrl
  /** Credentials are never kept. */
  readonly claim: Claim
}

export interface Recording extends RecordedCall {
  readonly answer: RecordedAnswer
  /** The call that changed what the original answers: the latest success before. */
  readonly after?: ChangingCall
  /** Values of the request body that choose a row, by their paths. */
  readonly bodyValues?: Readonly<Record<string, string>>
}

export interface ChangingCall {
  readonly alias: string
  readonly version: string
  readonly method: Method
}

export interface RecordedAnswer {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: RecordedBody
}

/** Text from a HAR, a file from a list: no body is in memory twice. */
export type RecordedBody = { readonly text: string; readonly isBase64: boolean } | { readonly source: string }

export interface Recordings {
  readonly recordings: readonly Recording[]
  /** Calls that are left out: they say nevertheless what credentials their operation needs. */
  readonly leftOut?: readonly RecordedCall[]
  /** What was left out or changed, each with its place. */
  readonly notices: readonly Problem[]
  readonly problems: readonly Problem[]
}

export type Pairs = readonly (readonly [name: string, value: string])[]

/**
 * A list of a HAR or of Postman: `[{ "name": "etag", "value": "1" }]`.
 * @param unread gets the name of a list that is none, or in which something has no name
 */
export function readPairs(owner: Json, list: string, unread: string[], nameKey: 'name' | 'key' = 'name'): Pairs {
  const { [list]: given = [] } = owner
  const items = asList(given).map(asObject)
  if (!Array.isArray(given) || items.some((one) => typeof one[nameKey] !== 'string' || one[nameKey] === ''))
    unread.push(list)
  return items.flatMap(({ [nameKey]: name, value, disabled }) => {
    if (typeof name !== 'string' || disabled === true) return []
    return [[name, typeof value === 'object' ? '' : String(value ?? '')] as const] // recorders hide values
  })
}

export function findHeader(pairs: Pairs, name: string): string {
  return pairs.find(([known]) => known.toLowerCase() === name)?.[1] ?? ''
}

export function noteUnreadPairs(unread: readonly string[], note: (message: string) => void): void {
  for (const list of new Set(unread)) note(`has ${list} that cannot be read: no list of names and values`)
}

/** Response headers that a client may depend on; all others belong to the recorded server, or are credentials. */
const keptHeaders: ReadonlySet<string> = new Set([
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-range',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'www-authenticate',
])

/** Repeated headers are joined with commas. */
const lists: ReadonlySet<string> = new Set(['allow', 'cache-control', 'content-language', 'link', 'www-authenticate'])

/** Headers that every response has: omitting them is not worth a notice. */
const common =
  /^(?:age|connection|content-(?:encoding|length|type)|date|keep-alive|server|set-cookie2?|transfer-encoding|vary|via)$/

/** @param pairs for a header that is not a list, the first value wins */
export function keepHeaders(pairs: Pairs): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    if (!keptHeaders.has(key) || !/^[\t\x20-\x7e]*$/.test(value) || carriesSecret(value)) continue
    if (!Object.hasOwn(kept, key)) kept[key] = value
    else if (lists.has(key)) kept[key] += `, ${value}`
  }
  return kept
}

/** Names of omitted headers that a client might need. */
export function findLostHeaders(pairs: Pairs): readonly string[] {
  const kept = keepHeaders(pairs)
  return pairs.map(([name]) => name.toLowerCase()).filter((name) => !Object.hasOwn(kept, name) && !common.test(name))
}

export function noteLostHeaders(pairs: Pairs, note: (message: string) => void): void {
  const names = findLostHeaders(pairs)
  if (names.length > 0) note(`has headers that are not imported: ${quoteNames(names)}`)
}

/** Values of a request body that choose a row, by their paths. */
export function readBodyValues(text: unknown, paths: readonly string[]): Readonly<Record<string, string>> {
  const find = typeof text === 'string' && paths.length > 0 ? openBody(text) : () => undefined
  const found = paths.map((path) => [path, find(path)] as const)
  return Object.fromEntries(found.filter((pair): pair is readonly [string, string] => pair[1] !== undefined))
}

/** Writes a body into the folder under its digest: equal bodies are one file. */
export function keepBody(content: Buffer, bodies: string): string {
  const name = hash('sha256', content)
  const path = join(bodies, name)
  if (!existsSync(path)) writeFileSync(path, content)
  return name
}

/** The content type in the form of the configuration; undefined for any other text, such as a range. */
export function readContentType(text: string): string | undefined {
  return /^[\w!#$%&'+.^`|~-]+\/[\w!#$%&'+.^`|~-]+(?:[ \t]*;[\t\x20-\x7e]*)?$/.test(text) ? text : undefined
}

/**
 * The content type, or another and a note.
 * @param stated empty if there is none
 */
export function chooseContentType(stated: string, instead: string, note: (message: string) => void): string {
  const type = readContentType(stated)
  if (type !== undefined) return type
  const what =
    stated === '' ? 'states no content type' : `has an unusable content type, ${JSON.stringify(stated.slice(0, 60))}`
  note(`${what}: it gets ${instead}`)
  return instead
}

const types: readonly (readonly [extension: string, type: string])[] = [
  ['json', 'application/json'],
  ['xml', 'text/xml'],
  ['html', 'text/html'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['svg', 'image/svg+xml'],
  ['zip', 'application/zip'],
]

export function typeOfFile(file: string): string {
  const [, extension = ''] = /\.([^./]+)$/.exec(file) ?? []
  return types.find(([known]) => known === extension.toLowerCase())?.[1] ?? 'application/octet-stream'
}

export function extensionOf(contentType: string): string {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  const found = types.find(([, known]) => known === type)
  if (found) return found[0]
  if (/[/+]xml$/.test(type)) return 'xml'
  return /[/+]json$/.test(type) ? 'json' : 'bin'
}
