/** Reads recordings from a HAR, as browsers and proxies save it (specification 16.6). */
import { methods } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import { Refusal } from '../model/refusal.ts'
import { placeUrl } from './place-url.ts'
import {
  findLostHeaders,
  keepHeaders,
  type Recording,
  type Recordings,
  readContentType,
  readScheme,
} from './recording.ts'

export function readHar(text: string, file: string): Recordings {
  const entries = parseEntries(text)
  if (typeof entries === 'string') return { recordings: [], notices: [], problems: [{ path: file, message: entries }] }
  const recordings: Recording[] = []
  const notices: string[] = []
  const problems: Problem[] = []
  const isConnectors = entries.some((entry) => urlOf(entry).includes('/RESTListeningConnector/'))
  const lost = new Set<string>()
  let others = 0
  for (const [index, entry] of entries.entries()) {
    const place = `log.entries[${index}]`
    if (isConnectors && !urlOf(entry).includes('/RESTListeningConnector/')) {
      others += 1
      continue
    }
    const read = readEntry(entry, place)
    if ('recording' in read) {
      recordings.push(read.recording)
      for (const name of findLostHeaders(readPairs((entry as Entry).response?.headers))) lost.add(name)
    } else if ('notice' in read) notices.push(`${place} is left out: ${read.notice}`)
    else problems.push(...read.problems)
  }
  if (recordings.length + problems.length === 0) {
    const [first = ''] = notices
    problems.push({ path: file, message: `has nothing to import: no entry is left${first && `. ${first}`}` })
  }
  if (lost.size > 0) {
    const names = [...lost].sort()
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
    notices.push(`response headers that are not imported: ${names.slice(0, maxNamed).join(', ')}${more}`)
  }
  if (others > 0)
    notices.push(
      `${others} ${others === 1 ? 'entry is' : 'entries are'} left out: their URLs have no RESTListeningConnector`,
    )
  return { recordings, notices, problems }
}

const maxNamed = 20

function parseEntries(text: string): readonly unknown[] | string {
  let har: unknown
  try {
    har = JSON.parse(text)
  } catch (error) {
    return `is not a HAR: it is not JSON. ${(error as Error).message.slice(0, 200)}`
  }
  const entries = (har as { log?: { entries?: unknown } } | null)?.log?.entries
  if (!Array.isArray(entries)) return 'is not a HAR: it has no list log.entries'
  return entries.length > 0 ? entries : 'has no entries: record some requests first'
}

interface Entry {
  readonly request?: { readonly method?: unknown; readonly url?: unknown; readonly headers?: unknown }
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

type Read = { recording: Recording } | { notice: string } | { problems: readonly Problem[] }

function readEntry(entry: unknown, place: string): Read {
  const { request, response } = (entry ?? {}) as Entry
  const problems: Problem[] = []
  if (typeof request?.method !== 'string') problems.push({ path: `${place}.request.method`, message: 'is missing' })
  if (typeof request?.url !== 'string') problems.push({ path: `${place}.request.url`, message: 'is missing' })
  const status = response?.status
  if (typeof status !== 'number') problems.push({ path: `${place}.response.status`, message: 'is missing' })
  if (problems.length > 0 || typeof request?.url !== 'string' || typeof status !== 'number') return { problems }

  const method = methods.find((known) => known === request.method)
  if (!method) return { notice: `${String(request.method).slice(0, 20)} is not a method of an operation` }
  if (status === 304) return { notice: '304 has no body: record with the browser cache disabled' }
  if (!Number.isInteger(status) || status < 200 || status > 599) return { notice: `${status} is not a final status` }
  const { size, text, encoding, mimeType } = response?.content ?? {}
  if (typeof text !== 'string' && typeof size === 'number' && size > 0 && method !== 'HEAD') {
    return { notice: 'its response body was not recorded' }
  }

  const requestHeaders = readPairs(request.headers)
  const headers = readPairs(response?.headers)
  const stated = find(headers, 'content-type') ?? (typeof mimeType === 'string' ? mimeType : '')
  try {
    const url = placeUrl(request.url)
    const contentType = readContentType(stated) ?? 'application/octet-stream'
    const body = { text: typeof text === 'string' ? text : '', isBase64: encoding === 'base64' }
    const scheme = readScheme(find(requestHeaders, 'authorization'), find(requestHeaders, 'ps_token'))
    return {
      recording: { place, method, url, scheme, answer: { status, contentType, headers: keepHeaders(headers), body } },
    }
  } catch (error) {
    return { problems: [{ path: `${place}.request.url`, message: explainUrl(error) }] }
  }
}

/** @throws errors other than those of the URL */
export function explainUrl(error: unknown): string {
  if (error instanceof Refusal) return `is malformed: ${error.message}`
  if (error instanceof Error && error.constructor === Error) return error.message
  throw error
}

function readPairs(headers: unknown): readonly (readonly [string, string])[] {
  if (!Array.isArray(headers)) return []
  return headers.flatMap((header) =>
    typeof header?.name === 'string' && typeof header.value === 'string' ? [[header.name, header.value] as const] : [],
  )
}

function find(pairs: readonly (readonly [string, string])[], name: string): string | undefined {
  return pairs.find(([known]) => known.toLowerCase() === name)?.[1]
}
