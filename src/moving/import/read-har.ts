/** Reads recordings from a HAR, as browsers and proxies save it (specification 16.6). */
import { basename } from 'node:path'
import { type Method, methods } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { Refusal } from '../../model/refusal.ts'
import { isSecretParameter } from '../../model/secret-name.ts'
import { readClaim } from './infer-verification.ts'
import { asObject, type Json } from './json-reference.ts'
import { type PlacedUrl, placeOperation, placeUrl } from './place-url.ts'
import {
  chooseContentType,
  findHeader,
  findLostHeaders,
  keepBody,
  keepHeaders,
  noteUnreadPairs,
  type Pairs,
  type RecordedCall,
  type Recording,
  type Recordings,
  readBodyValues,
  readPairs,
} from './recording.ts'
import { streamHar } from './stream-har.ts'
import { silent } from './verification.ts'
import { joinNames } from './write-notes.ts'

/** @param bodies the folder that their bodies are written to: a HAR may be longer than the memory */
export function readHar(path: string, bodies: string, bodyPaths: readonly string[] = []): Recordings {
  const file = basename(path)
  const [connectors, others] = [openFound(), openFound()]
  let isConnectors = false
  let otherEntries = 0
  const failure = streamHar(path, (entry, index) => {
    const { url } = asObject(asObject(entry).request)
    const hasUrl = typeof url === 'string' && url !== ''
    const isConnector = hasUrl && url.includes('/RESTListeningConnector/')
    if (isConnector) isConnectors = true
    else if (hasUrl) otherEntries += 1
    const found = isConnector ? connectors : others
    const place = `log.entries[${index}]`
    const note = (message: string) => {
      found.notices.push({ path: place, message })
      if (!hasUrl) connectors.notices.push({ path: place, message }) // it may be of the connector
    }
    readEntry(entry, place, { ...found, bodies, bodyPaths, note })
  })
  if (failure !== undefined) return { recordings: [], notices: [], problems: [{ path: file, message: failure }] }
  const { recordings, leftOut, lost, notices } = isConnectors ? connectors : others
  if (recordings.length === 0)
    return { recordings, notices, problems: [{ path: file, message: 'has nothing to import: no entry is left' }] }
  if (lost.size > 0)
    notices.push({ path: 'responses', message: `have headers that are not imported: ${joinNames([...lost].sort())}` })
  if (isConnectors && otherEntries > 0)
    notices.push({
      path: file,
      message: `has ${otherEntries} other ${otherEntries === 1 ? 'entry, which is' : 'entries, which are'} left out: no RESTListeningConnector in the URL`,
    })
  return { recordings, leftOut, notices, problems: [] }
}

interface HarContent {
  readonly recordings: Recording[]
  readonly leftOut: RecordedCall[]
  readonly notices: Problem[]
  /** Names of response headers that are not imported. */
  readonly lost: Set<string>
}

function openFound(): HarContent {
  return { recordings: [], leftOut: [], notices: [], lost: new Set() }
}

interface HarReader extends HarContent {
  readonly bodies: string
  readonly bodyPaths: readonly string[]
  readonly note: (message: string) => void
}

function readEntry(entry: unknown, place: string, { recordings, leftOut, lost, bodies, bodyPaths, note }: HarReader) {
  const [request, response] = [asObject(asObject(entry).request), asObject(asObject(entry).response)]
  const leaveOut = (reason: string) => note(`is left out: ${reason}`)
  if (typeof request.method !== 'string') return leaveOut('request.method is missing')
  if (typeof request.url !== 'string') return leaveOut('request.url is missing')
  const method = methods.find((known) => known === request.method)
  if (!method) return leaveOut(`${show(request.method)} is not a method of an operation`)
  const status = Number(response.status)
  const unread: string[] = []
  const answerHeaders = readPairs(response, 'headers', unread)
  const headers = [...readPairs(request, 'headers', unread), ...readPairs(request, 'cookies', unread).map(asHeader)]
  const inQuery = readPairs(request, 'queryString', unread).flatMap(([name]) => (isSecretParameter(name) ? name : []))
  noteUnreadPairs(unread, note)
  const callOf = (url: PlacedUrl): RecordedCall => {
    const seen = { secrets: [...new Set([...url.secrets, ...inQuery])] }
    return { place, method, url, claim: readClaim({ url: seen, headers, status, answerHeaders, unread }, silent) }
  }
  const count = (url: PlacedUrl | undefined) => {
    if (url) leftOut.push(callOf(url))
  }
  try {
    const url = placeUrl(request.url)
    const fault = findFault(response, method)
    if (fault !== undefined) {
      count(url)
      return leaveOut(fault)
    }
    const { text, size, encoding, mimeType } = asObject(response.content)
    if (typeof text !== 'string' && size !== 0 && method !== 'HEAD') note('has no response body: its answer is empty')
    const stated = findHeader(answerHeaders, 'content-type') || (typeof mimeType === 'string' ? mimeType : '')
    const bytes = Buffer.from(typeof text === 'string' ? text : '', encoding ? 'base64' : 'utf8')
    const contentType = chooseContentType(stated, 'application/octet-stream', bytes.length > 0 ? note : () => {})
    for (const name of findLostHeaders(answerHeaders)) lost.add(name)
    const body = { source: keepBody(bytes, bodies) }
    const answer = { status, contentType, headers: keepHeaders(answerHeaders), body }
    const bodyValues = readBodyValues(asObject(request.postData).text, bodyPaths)
    recordings.push({ ...callOf(url), answer, bodyValues })
  } catch (error) {
    const reason = explainUrl(error)
    count(placeOperation(request.url))
    leaveOut(`request.url ${reason}`)
  }
}

/** Why a response cannot be recorded. */
function findFault({ status, content }: Json, method: Method): string | undefined {
  if (typeof status !== 'number') return 'response.status is missing'
  if (status === 304) return '304 has no body: record with the browser cache disabled'
  if (!Number.isInteger(status) || status < 200 || status > 599) return `${status} is not a final status`
  const { size, text, encoding } = asObject(content)
  if (typeof text !== 'string' && Number(size) > 0 && method !== 'HEAD') return 'its response body was not recorded'
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

/** Some recorders have the cookies of a request in a list of their own. */
function asHeader([name, value]: Pairs[number]): Pairs[number] {
  return ['cookie', `${name}=${value}`]
}
