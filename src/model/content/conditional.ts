/**
 * Conditional and range requests (RFC 9110, 13 and 14; specification 5.24, 5.25): which of them a response with an entity tag
 * or a date satisfies. Pure functions on headers.
 */
import { type Call, emptyBody, type OperationResponse, type ReplyBody } from '../call.ts'

export interface Validators {
  /** Quoted, perhaps weak: `"v7"`, `W/"v7"`. */
  readonly etag: string | undefined
  /** The time as an HTTP date. */
  readonly lastModified: string | undefined
}

export function readValidators(headers: readonly string[]): Validators {
  return { etag: findHeader(headers, 'etag'), lastModified: findHeader(headers, 'last-modified') }
}

export function hasValidators(headers: readonly string[]): boolean {
  const { etag, lastModified } = readValidators(headers)
  return etag !== undefined || lastModified !== undefined
}

function findHeader(headers: readonly string[], name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1]
  return undefined
}

/** `v7` becomes `"v7"`; a quoted tag stays as it is. @throws TypeError for characters that a tag cannot have */
export function quoteTag(tag: string): string {
  const quoted = entityTag.test(tag) ? tag : `"${tag}"`
  if (entityTag.test(quoted)) return quoted
  throw new TypeError('An entity tag has visible characters only, and no quotation mark within')
}

const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const entityTags = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

type Headers = Call['headers']

/** Whether the client has this representation already. */
export function isNotModified(headers: Headers, { etag, lastModified }: Validators): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) return findTag(String(tags), etag) !== undefined // a date does not matter then
  const since = readDate(headers['if-modified-since'])
  return since !== undefined && lastModified !== undefined && Date.parse(lastModified) <= since
}

/** Our tag as the client has it: weak, if it was sent compressed. */
function findTag(tags: string, etag: string | undefined): string | undefined {
  if (etag === undefined || tags.trim() === '*') return etag
  const ours = etag.replace(/^W\//, '')
  for (const [found, , opaque] of tags.matchAll(entityTags)) if (opaque === ours) return found
  return undefined
}

/** Of the three forms of HTTP the oldest has no zone. */
function readDate(text: Headers[string]): number | undefined {
  if (typeof text !== 'string') return undefined
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}

/** Undefined: the whole. `unsatisfiable`: none of it. Both bounds are included. */
type Range = { readonly first: number; readonly last: number } | 'unsatisfiable' | undefined

/** Several ranges, units other than bytes and what cannot be read are answered with the whole. */
export function findRange(headers: Headers, size: number, validators: Validators): Range {
  const [, from = '', to = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(String(headers.range ?? '')) ?? []
  if (from === '' && to === '') return undefined
  if (!isUnchanged(headers['if-range'], validators)) return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < first) return undefined
  return first > last ? 'unsatisfiable' : { first, last }
}

/** By a strong tag or the very date; a client may have a part of another representation otherwise. */
function isUnchanged(ifRange: Headers[string], { etag, lastModified }: Validators): boolean {
  if (ifRange === undefined) return true
  return (ifRange === etag && !etag.startsWith('W/')) || ifRange === lastModified
}

/** The response as this GET or HEAD asks for it: whole, a part of it, or nothing if the client has it. */
export function narrowResponse(response: OperationResponse, { method, headers: asked }: Call): OperationResponse {
  const { status, headers, body } = response
  if (status > 299) return response
  const validators = readValidators(headers)
  if (isNotModified(asked, validators)) return { status: 304, headers: keepFor304(headers, asked), body: emptyBody }
  if (asked.range === undefined || method !== 'GET' || status !== 200 || body.file) return response
  const size = body.bytes.length
  const range = findRange(asked, size, validators)
  if (range === undefined) return response
  if (range === 'unsatisfiable') return { status: 416, headers: ['content-range', `bytes */${size}`], body: emptyBody }
  const part: ReplyBody = { bytes: body.bytes.subarray(range.first, range.last + 1) }
  if (body.cacheHold) part.cacheHold = body.cacheHold
  const place = `bytes ${range.first}-${range.last}/${size}`
  return { status: 206, headers: [...headers, 'content-range', place, ...varyHeader], body: part }
}

/** As the whole response has it, if it is text that could be compressed. */
const varyHeader = ['vary', 'accept-encoding'] as const

/** All but the content type; the tag in the client's form, by which it finds what it has. */
function keepFor304(headers: readonly string[], asked: Headers): string[] {
  const kept: string[] = [...varyHeader]
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2)
    if (name === 'etag') kept.push(name, findTag(String(asked['if-none-match'] ?? '*'), value) ?? value)
    else if (name !== 'content-type') kept.push(name, value)
  }
  return kept
}
