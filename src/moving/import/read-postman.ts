/**
 * A Postman collection v2.1: each saved response is a recorded answer to its request (specification 16.20). Variables are
 * those of the collection and its folders; authorization is inherited from them; scripts are never run.
 */

import { methods } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { isSecretParameter } from '../../model/secret-name.ts'
import { modeOfDeclaration, modeOfHeader } from '../../model/verification.ts'
import { readClaim } from './infer-verification.ts'
import { asList, asObject, type Json } from './json-reference.ts'
import { listOf, type Note, noteUnread } from './members.ts'
import { maxUrl, type PlacedUrl, placeOperation, placeUrl } from './place-url.ts'
import { explainUrl } from './read-har.ts'
import {
  chooseContentType,
  findHeader,
  keepBody,
  keepHeaders,
  noteLostHeaders,
  noteUnreadPairs,
  type Pairs,
  type RecordedCall,
  type Recording,
  type Recordings,
  readBodyValues,
  readPairs,
} from './recording.ts'
import { type Claim, open as declaredOpen, demand, demandUnknown, mergeClaims, silent } from './verification.ts'
import { quoteNames } from './write-notes.ts'

export interface PostmanRecordings extends Recordings {
  /** The name of the collection. */
  readonly name: string
}

/** @param bodies the folder that response bodies are written to */
export function readPostman(
  input: unknown,
  file: string,
  bodies: string,
  bodyPaths: readonly string[],
): PostmanRecordings {
  const collection = asObject(input)
  const info = asObject(collection.info)
  const name = typeof info.name === 'string' ? info.name : 'IMPORTED'
  if (!/\/v2\.1\.\d+\//.test(String(info.schema))) {
    const message = isPostman(input)
      ? 'is not of version 2.1: export it as Collection v2.1'
      : 'is not a Postman collection'
    return { name, recordings: [], notices: [], problems: [{ path: file, message }] }
  }
  const recordings: Recording[] = []
  const leftOut: RecordedCall[] = []
  const notices: Problem[] = []
  const note = (path: string, message: string) => void notices.push({ path, message })
  let scripts = 0
  const open: Level[] = [{ item: collection, place: '', auth: undefined, hasScript: false, variables: new Map() }]
  for (let level = open.pop(); level !== undefined; level = open.pop()) {
    const { item, place } = level
    const at = place || file
    const kind = item === collection ? 'collection' : item.item === undefined ? 'item' : 'folder'
    noteUnread(Object.keys(item), kind, at, note)
    const events = listOf(item, 'event', at, note)
    const isUnread = (item.event ?? events) !== events // it may be a script
    if (events.length > 0) scripts += 1
    const auth = item.auth ?? level.auth
    const hasScript = level.hasScript || isUnread || events.some((one) => asObject(one).listen === 'prerequest')
    const stated = listOf(item, 'variable', at, note).map(readVariable)
    const variables = stated.length === 0 ? level.variables : new Map([...level.variables, ...stated])
    if (kind !== 'item') {
      const inner = listOf(item, 'item', at, note).map((one, index): Level => {
        const known = asObject(one)
        return {
          item: known,
          place: `${place}${place && '/'}${String(known.name ?? index).slice(0, maxName)}`,
          auth,
          hasScript,
          variables,
        }
      })
      open.push(...inner.reverse())
    } else recordings.push(...readItem(item, { place, auth, hasScript, variables, bodies, bodyPaths, leftOut, note }))
  }
  if (scripts > 0) note(file, `has scripts in ${scripts === 1 ? 'one place' : `${scripts} places`}, which are not run`)
  const problems = recordings.length > 0 ? [] : [{ path: file, message: 'has no requests that can be imported' }]
  return { name, recordings, leftOut, notices, problems }
}

export function isPostman(input: unknown): boolean {
  const info = asObject(asObject(input).info)
  return Object.hasOwn(info, '_postman_id') || /schema\.(?:get)?postman\.com/.test(String(info.schema))
}

type Variables = ReadonlyMap<string, string>

const maxName = 100

interface Level {
  readonly item: Json
  /** `Departments/one` */
  readonly place: string
  readonly auth: unknown
  /** Runs before the request. */
  readonly hasScript: boolean
  readonly variables: Variables
}

interface Item extends Omit<Level, 'item'> {
  readonly bodies: string
  readonly bodyPaths: readonly string[]
  readonly leftOut: RecordedCall[]
  readonly note: Note
}

function readVariable(one: unknown): readonly [string, string] {
  const { key, id, value } = asObject(one)
  return [String(key ?? id), String(value ?? '')]
}

function readItem(item: Json, parts: Item): readonly Recording[] {
  const { place, note } = parts
  const request = typeof item.request === 'string' ? { url: item.request } : asObject(item.request)
  const responses = listOf(item, 'response', place, note).map(asObject)
  if (![request, ...responses.map((one) => asObject(one.originalRequest))].some(({ url }) => url !== undefined)) {
    note(place, 'is left out: it has no URL')
    return []
  }
  noteUnread(Object.keys(request), 'request', place, note)
  if (responses.length > 0)
    return responses.flatMap((response, at) => {
      const name = `${place}/${String(response.name ?? at).slice(0, maxName)}`
      noteUnread(Object.keys(response), 'savedResponse', name, note)
      return readResponse(asObject(response.originalRequest), request, response, { ...parts, place: name })
    })
  const read = readResponse(request, request, { code: 200, body: '' }, parts)
  if (read.length > 0) note(place, 'has no saved response: it is answered 200 with an empty body')
  return read
}

/** @param asked the request that this response was saved with, as far as it says */
function readResponse(asked: Json, request: Json, response: Json, parts: Item): readonly Recording[] {
  const { place, auth, hasScript, leftOut, variables, bodies, bodyPaths } = parts
  const note = (message: string) => parts.note(place, message)
  const leaveOut = (reason: string, call?: RecordedCall) => {
    note(`is left out: ${reason}`)
    if (call) leftOut.push(call)
    return []
  }
  const stated = readUrl(asked.url) ?? readUrl(request.url)
  const name = asked.method ?? request.method ?? 'GET'
  const method = methods.find((known) => known === name)
  if (!method) return leaveOut(`${JSON.stringify(String(name).slice(0, 20))} is not a method of an operation`)
  const status = Number(response.code)
  const unknown = new Set<string>()
  if (stated === undefined) return leaveOut('its URL is neither a text nor an object with one')
  const written = writeUrl(stated, variables, unknown)
  if (written === undefined) return leaveOut('its variables contain each other, or too much')
  const unread: string[] = []
  const answerHeaders = readHeaders(response, unread)
  const headers = [request, asked].flatMap((one) => readHeaders(one, unread))
  const inQuery = [request, asked].flatMap(({ url }) =>
    readPairs({ query: asObject(url).query ?? [] }, 'query', unread, 'key'),
  )
  noteUnreadPairs(unread, note)
  const declared = mergeClaims([
    ...[request.auth ?? auth, asked.auth ?? request.auth ?? auth].map((one) => readAuth(one, hasScript)),
    ...(request.certificate ? [demandUnknown('a client certificate')] : []),
  ])
  const callOf = (url: PlacedUrl): RecordedCall => {
    const secrets = [...url.secrets, ...inQuery.flatMap(([key]) => (isSecretParameter(key) ? key : []))]
    const claim = readClaim({ url: { secrets }, headers, status, answerHeaders, unread }, declared)
    return { place, method, url, claim }
  }
  const operation = placeOperation(written)
  if (typeof response.code !== 'number' || !Number.isInteger(status) || status < 200 || status > 599 || status === 304)
    return leaveOut(
      `${String(response.code).slice(0, 20)} is not a final status with a body`,
      operation && callOf(operation),
    )
  if (unknown.size > 0)
    note(`has variables without a value, each recorded as ${placeholder}: ${quoteNames([...unknown])}`)
  noteLostHeaders(answerHeaders, note)
  const { body = '' } = response
  const text = typeof body === 'string' ? body : ''
  if (body !== text && body !== null) note('has a body that is no text: its answer is empty')
  const type = findHeader(answerHeaders, 'content-type')
  const contentType = chooseContentType(type, guessType(text), text === '' ? () => {} : note)
  try {
    const url = placeUrl(written)
    const source = keepBody(Buffer.from(text), bodies)
    const answer = { status, contentType, headers: keepHeaders(answerHeaders), body: { source } }
    const bodyValues = readBodyValues(asObject(asked.body ?? request.body).raw, bodyPaths)
    return [{ ...callOf(url), answer, bodyValues }]
  } catch (error) {
    return leaveOut(`its URL ${explainUrl(error)}`, operation && callOf(operation))
  }
}

/** A list, or a text with one a line. */
function readHeaders(owner: Json, unread: string[]): Pairs {
  if (typeof owner.header !== 'string') return readPairs({ header: owner.header ?? [] }, 'header', unread, 'key')
  const lines = owner.header.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => [line.replace(/:.*$/s, '').trim(), line.replace(/^[^:]*:/, '').trim()])
}

function guessType(body: string): string {
  if (/^\s*[[{]/.test(body)) return 'application/json'
  return /^\s*</.test(body) ? 'text/xml' : 'text/plain'
}

/** @param hasScript a script before the request may add credentials, so `noauth` says nothing */
function readAuth(auth: unknown, hasScript: boolean): Claim {
  if (auth === undefined || auth === null) return silent
  const { type, apikey } = asObject(auth)
  if (type === 'noauth') return hasScript ? silent : declaredOpen
  const key = asList(apikey)
    .map(readVariable)
    .find(([name]) => name === 'key')?.[1]
  const mode = type === 'apikey' ? modeOfHeader(key ?? '') : modeOfDeclaration(type)
  return mode ? demand(mode) : demandUnknown(`the authorization "${String(type ?? 'without a type').slice(0, 20)}"`)
}

/** Looks like data, so that its place in a URL becomes a variable. */
const placeholder = '000'
/** Maximum depth of variables within variables. */
const maxDepth = 20

interface StatedUrl {
  readonly text: string
  readonly variables: readonly unknown[]
}

function readUrl(url: unknown): StatedUrl | undefined {
  if (typeof url === 'string') return { text: url, variables: [] }
  const { raw, variable, ...parts } = asObject(url)
  const text = typeof raw === 'string' ? raw : parts.path === undefined ? undefined : compose(parts)
  return text === undefined ? undefined : { text, variables: asList(variable) }
}

/** @returns undefined for variables that contain each other */
function writeUrl(url: StatedUrl, variables: Variables, unknown: Set<string>): string | undefined {
  const whole = expand(url.text, variables, unknown)
  if (whole === undefined) return undefined
  const ofPath = new Map(url.variables.map(readVariable))
  const [path = '', ...query] = whole.split('?')
  const filled = path.replace(/(?<=\/):([^/:?#]+)/g, (_, name: string) => {
    const value = expand(ofPath.get(name) ?? '', variables, unknown)
    if (value) return encodeURIComponent(value)
    unknown.add(`:${name}`)
    return placeholder
  })
  return [filled, ...query].join('?')
}

function compose({ protocol = 'https', host, path, query }: Json): string {
  const pairs = readPairs({ query }, 'query', [], 'key').map(([name, value]) => `${name}=${value}`)
  const hosts = Array.isArray(host) ? host.join('.') : String(host ?? 'localhost')
  const segments = Array.isArray(path)
    ? path.map((one) => String(asObject(one).value ?? one)).join('/')
    : String(path ?? '')
  const origin = hosts.startsWith('{{') ? hosts : `${String(protocol)}://${hosts}`
  return `${origin}/${segments.replace(/^\//, '')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
}

/** A variable without a value at the beginning is a host; elsewhere it is a value that is not known. */
function expand(text: string, variables: Variables, unknown: Set<string>): string | undefined {
  let expanded = text
  for (let depth = 0; expanded.includes('{{'); depth += 1) {
    if (depth > maxDepth || expanded.length > maxUrl) return undefined
    let length = 0
    expanded = expanded.replace(/\{\{([^{}]*)\}\}/g, (_, name: string, at: number) => {
      const value = variables.get(name.trim())
      length += value?.length ?? 0
      if (value) return length > maxUrl ? '' : value
      unknown.add(`{{${name.slice(0, maxName)}}}`)
      return at === 0 ? 'https://host.example' : placeholder
    })
    if (length > maxUrl) return undefined
  }
  return expanded
}
