/** Reads recordings from a HAR, as browsers and proxies save it (specification 16.6). */
import { basename } from 'node:path'
import { type Method, methods } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import { Refusal } from '../model/refusal.ts'
import { readClaim } from './find-verification.ts'
import { asObject } from './json-reference.ts'
import { type PlacedUrl, placeOperation, placeUrl } from './place-url.ts'
import {
  findLostHeaders,
  keepBody,
  keepHeaders,
  noteType,
  type RecordedCall,
  type Recording,
  type Recordings,
  readBodyValues,
  readContentType,
} from './recording.ts'
import { streamHar } from './stream-har.ts'
import { silent } from './verification.ts'

/** @param bodies the folder that their bodies are written to: a HAR may be longer than the memory */
export function readHar(path: string, bodies: string, bodyPaths: readonly string[] = []): Recordings {
  const file = basename(path)
  const connectors: Found = { recordings: [], leftOut: [], notices: [] }
  const others: Found = { recordings: [], leftOut: [], notices: [] }
  const lost = { connectors: new Set<string>(), others: new Set<string>() }
  let isConnectors = false
  let otherEntries = 0
  const failure = streamHar(path, (entry, index) => {
    const url = urlOf(entry)
    const isConnector = url.includes('/RESTListeningConnector/')
    if (isConnector) isConnectors = true
    else if (url !== '') otherEntries += 1
    const { recordings, leftOut, notices } = isConnector ? connectors : others
    const place = `log.entries[${index}]`
    const read = readEntry(entry, place, bodies, bodyPaths)
    if ('recording' in read) {
      recordings.push(read.recording)
      const names = isConnector ? lost.connectors : lost.others
      for (const name of findLostHeaders(readPairs((entry as Entry).response?.headers))) names.add(name)
      if (read.note !== undefined) notices.push({ path: place, message: read.note })
      return
    }
    if (read.call) leftOut.push(read.call)
    const left = { path: place, message: `is left out: ${read.reason}` }
    notices.push(left)
    if (url === '') connectors.notices.push(left) // it is neither of the connector nor of another server
  })
  if (failure !== undefined) return { recordings: [], notices: [], problems: [{ path: file, message: failure }] }
  const { recordings, leftOut, notices } = isConnectors ? connectors : others
  if (recordings.length === 0)
    return { recordings, notices, problems: [{ path: file, message: 'has nothing to import: no entry is left' }] }
  const names = [...(isConnectors ? lost.connectors : lost.others)].sort()
  if (names.length > 0) {
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
    const message = `have headers that are not imported: ${names.slice(0, maxNamed).join(', ')}${more}`
    notices.push({ path: 'responses', message })
  }
  if (isConnectors && otherEntries > 0)
    notices.push({
      path: file,
      message: `has ${otherEntries} other ${otherEntries === 1 ? 'entry, which is' : 'entries, which are'} left out: no RESTListeningConnector in the URL`,
    })
  return { recordings, leftOut, notices, problems: [] }
}

interface Found {
  readonly recordings: Recording[]
  readonly leftOut: RecordedCall[]
  readonly notices: Problem[]
}

const maxNamed = 20

interface Entry {
  readonly request?: {
    readonly method?: unknown
    readonly url?: unknown
    readonly headers?: unknown
    readonly cookies?: unknown
    readonly postData?: { readonly text?: unknown }
  }
  readonly response?: { readonly status?: unknown; readonly headers?: unknown; readonly content?: Content }
}

interface Content {
  readonly size?: unknown
  readonly text?: unknown
  readonly encoding?: unknown
  readonly mimeType?: unknown
}

function urlOf(entry: unknown): string {
  const url = (entry as Entry | null)?.request?.url
  return typeof url === 'string' ? url : ''
}

type Read =
  | { readonly recording: Recording; readonly note: string | undefined }
  | { readonly reason: string; readonly call?: RecordedCall }

function readEntry(entry: unknown, place: string, bodies: string, bodyPaths: readonly string[]): Read {
  const { request, response } = (entry ?? {}) as Entry
  if (typeof request?.method !== 'string') return { reason: 'request.method is missing' }
  if (typeof request.url !== 'string') return { reason: 'request.url is missing' }
  const method = methods.find((known) => known === request.method)
  if (!method) return { reason: `${request.method.slice(0, 20)} is not a method of an operation` }
  const status = Number(response?.status)
  const headers = readPairs(response?.headers)
  const asked = [...readPairs(request.headers), ...readPairs(request.cookies).map(readCookie)]
  const callOf = (url: PlacedUrl): RecordedCall => {
    return { place, method, url, claim: readClaim({ url, headers: asked, status, answerHeaders: headers }, silent) }
  }
  const leaveOut = (reason: string, url: PlacedUrl | undefined) => ({ reason, ...(url && { call: callOf(url) }) })
  try {
    const url = placeUrl(request.url)
    const fault = findFault(response, method)
    if (fault !== undefined) return leaveOut(fault, url)
    const { text, encoding, mimeType } = response?.content ?? {}
    const stated = find(headers, 'content-type') || (typeof mimeType === 'string' ? mimeType : '')
    const content = Buffer.from(typeof text === 'string' ? text : '', encoding ? 'base64' : 'utf8')
    const known = readContentType(stated)
    const contentType = known ?? 'application/octet-stream'
    const note = known === undefined && content.length > 0 ? noteType(stated, contentType) : undefined
    const answer = { status, contentType, headers: keepHeaders(headers), body: { source: keepBody(content, bodies) } }
    const bodyValues = readBodyValues(request.postData?.text, bodyPaths)
    return { recording: { ...callOf(url), answer, bodyValues }, note }
  } catch (error) {
    return leaveOut(`request.url ${explainUrl(error)}`, placeOperation(request.url))
  }
}

/** Why a response cannot be recorded. */
function findFault(response: Entry['response'], method: Method): string | undefined {
  const { size, text, encoding } = response?.content ?? {}
  const status = response?.status
  if (typeof status !== 'number') return 'response.status is missing'
  if (status === 304) return '304 has no body: record with the browser cache disabled'
  if (!Number.isInteger(status) || status < 200 || status > 599) return `${status} is not a final status`
  if (typeof text !== 'string' && typeof size === 'number' && size > 0 && method !== 'HEAD')
    return 'its response body was not recorded'
  const isEncoded = encoding !== undefined && encoding !== ''
  if (isEncoded && !(encoding === 'base64' && typeof text === 'string' && isBase64(text)))
    return `its response body is not in its stated encoding, ${show(encoding)}`
  return undefined
}

/** Proxies break the lines of it, and leave out the padding. */
function isBase64(text: string): boolean {
  if (!/^[A-Za-z0-9+/\s]*=?=?\s*$/.test(text)) return false
  const { length } = text.replace(/\s+/g, '')
  return text.includes('=') ? length % 4 === 0 : length % 4 !== 1
}

function show(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 20))
}

/** @throws errors other than those of the URL */
export function explainUrl(error: unknown): string {
  if (error instanceof Refusal) return `is malformed: ${error.message}`
  if (error instanceof Error && error.constructor === Error) return error.message
  throw error
}

function readPairs(headers: unknown): readonly (readonly [string, string])[] {
  if (!Array.isArray(headers)) return []
  return headers.flatMap((header) => {
    const { name, value } = asObject(header)
    return typeof name === 'string' ? [[name, typeof value === 'string' ? value : ''] as const] : [] // recorders hide values
  })
}

/** Some recorders have the cookies of a request in a list of their own. */
function readCookie([name, value]: readonly [name: string, value: string]) {
  return ['cookie', `${name}=${value}`] as const
}

function find(pairs: readonly (readonly [string, string])[], name: string): string | undefined {
  return pairs.find(([known]) => known.toLowerCase() === name)?.[1]
}
