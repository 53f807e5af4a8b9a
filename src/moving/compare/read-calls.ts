/** The calls of a comparison: a list, one a line, or a HAR (specification 36.10). */
import { isSecretHeader } from '../../model/secret-name.ts'
import { isCredentialHeader } from '../../model/verification.ts'

export interface ListedCall {
  /** `calls.txt:3`, `log.entries[2]` */
  readonly place: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface ListedCalls {
  readonly calls: readonly ListedCall[]
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/** Of the connection or of who called then: each comparison has its own. */
const ownHeaders =
  /^(?::.*|cookie|host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|upgrade|te|proxy-.*|if-.*)$/i

/** @param file its name */
export function readCalls(content: string, file: string): ListedCalls {
  const text = content.replace(/^\ufeff/, '')
  const items = /^\s*\{\s*"log"\s*:/.test(text) ? readHarEntries(text, file) : readLines(text, file)
  const calls: ListedCall[] = []
  const problems: { path: string; message: string }[] = []
  for (const { place, read } of items) {
    try {
      calls.push({ place, ...checkCall(read()) })
    } catch (error) {
      problems.push({ path: place, message: (error as Error).message })
    }
  }
  if (calls.length + problems.length === 0) problems.push({ path: file, message: 'has no calls' })
  return { calls, problems }
}

interface RawCall {
  readonly method?: unknown
  readonly url?: unknown
  readonly headers?: unknown
  readonly body?: unknown
}

interface Item {
  readonly place: string
  readonly read: () => RawCall
}

/** `GET /path?a=1`, or a whole URL; what follows, as in a list for `ig import`, is ignored. Or the same as JSON. */
function readLines(text: string, file: string): readonly Item[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return []
    const read = () => {
      if (line.trimStart().startsWith('{')) return parse(line)
      const [method, url] = line.trim().split(/\s+/)
      return { method, url }
    }
    return [{ place: `${file}:${index + 1}`, read }]
  })
}

function readHarEntries(text: string, file: string): readonly Item[] {
  try {
    const { log } = parse(text) as { readonly log?: { readonly entries?: unknown } }
    if (!Array.isArray(log?.entries)) throw new Error('is a HAR without log.entries')
    return log.entries.map((entry, index) => ({ place: `log.entries[${index}]`, read: () => readEntry(entry) }))
  } catch (error) {
    const read = () => {
      throw error
    }
    return [{ place: file, read }]
  }
}

interface HarEntry {
  readonly request?: {
    readonly method?: unknown
    readonly url?: unknown
    readonly headers?: readonly { readonly name?: unknown; readonly value?: unknown }[]
    readonly postData?: { readonly text?: unknown }
  }
}

function readEntry({ request = {} }: HarEntry): RawCall {
  const { method, url, headers = [], postData } = request
  const pairs = headers
    .map(({ name, value }) => [String(name), String(value)] as const)
    .filter(([name]) => !isSecretHeader(name))
  return { method, url, headers: Object.fromEntries(pairs), body: postData?.text }
}

function parse(text: string): RawCall {
  try {
    return JSON.parse(text) as RawCall
  } catch {
    throw new Error('begins with { but is not JSON')
  }
}

function checkCall({ method, url, headers = {}, body }: RawCall): Omit<ListedCall, 'place'> {
  if (typeof method !== 'string' || !/^[A-Z]{1,20}$/.test(method))
    throw new Error('must begin with a method: GET /path')
  if (typeof url !== 'string') throw new Error('has no URL: GET /path')
  if (body !== undefined && typeof body !== 'string') throw new Error('has a body that is not a string')
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    throw new Error('has invalid headers: write { "accept": "text/xml" }')
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.test(name) && !isCredentialHeader(name))
  for (const [name, value] of kept)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Error(`has an invalid header ${JSON.stringify(name.slice(0, 60))}`)
  return { method, target: readTarget(url), headers: Object.fromEntries(kept) as Record<string, string>, body }
}

/** Exactly as written: a comparison may be about its encoding. */
function readTarget(url: string): string {
  const [, target = ''] = /^(?:https?:\/\/[^/?#]*)?(\/?[^#]*)/i.exec(url) ?? []
  if (!/^[\x21-\x7e]*$/.test(target)) throw new Error('has a URL with characters that must be percent-encoded')
  return target.startsWith('/') ? target : `/${target}`
}
