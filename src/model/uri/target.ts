/** The request target, parsed once from its raw form for all later uses (specification 1). */
import { Refusal } from '../refusal.ts'

/** The target of a call to an operation. */
export interface Target {
  readonly kind: 'operation'
  /** Exactly as sent (origin form), except for what a setting ignores (specification 33). */
  readonly rawPath: string
  /** Without the question mark; undefined if the target has none. */
  readonly rawQuery: string | undefined
  readonly node: string
  /** The segment of the operation, `ECHO.v1` or without a version `echo`, decoded, for refusals. */
  readonly service: string
  /** The same as operations have it: `Person.V1` → `Person.v1`. */
  readonly segment: string
  /** Decoded segments after `<operation>.<version>`. `/ECHO.v1` → [], `/ECHO.v1/` → [''], `/ECHO.v1/echo/` → ['echo', '']. */
  readonly path: readonly string[]
  /** Decoded name and value pairs, in order. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The operation, if it is not that of its alias, version and method. */
  readonly operationId?: string
}

export const connector = 'RESTListeningConnector'

/** Of `ig.gatewayPath`: segments that are equal encoded and decoded, and that no client resolves. */
export const gatewayPathPattern = /^(?!\.{1,2}(?:\/|$))[\w.~-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/

/** @throws Refusal uriMalformed, for every destination; pathUnknown outside `{gateway_path}/…/<operation>` */
export function parseTarget(raw: string, gatewayPath: string): Target {
  const target = parseSplit(splitUrl(raw), gatewayPath)
  if (target) return target
  throw new Refusal('pathUnknown', 'outside the connector')
}

/** The same for a URL that is already split; undefined outside the connector. */
export function parseSplit(url: SplitUrl, gatewayPath: string): Target | undefined {
  const { rawPath, rawQuery } = url
  const { segments, query } = decodeUrl(url)
  const prefix = prefixOf(gatewayPath)
  const at = prefix.length
  const isInside = prefix.every((segment, index) => segments[index] === segment)
  const node = segments[at]
  const service = segments[at + 1]
  if (!isInside || node === undefined || !service) return undefined // `<node>` and `<node>/` alike
  return {
    kind: 'operation',
    rawPath,
    rawQuery,
    node,
    service,
    segment: service.replace(capitalVersion, '.v'),
    path: segments.slice(at + 2),
    query,
  }
}

const capitalVersion = /\.V(?=\d+$)/

/** The segments before the node, made once: a process has one gateway path. */
function prefixOf(gatewayPath: string): readonly string[] {
  const known = prefixes.get(gatewayPath)
  if (known) return known
  const prefix = ['', ...gatewayPath.split('/'), connector]
  prefixes.set(gatewayPath, prefix)
  return prefix
}

const prefixes = new Map<string, readonly string[]>()

export type SplitUrl = Pick<Target, 'rawPath' | 'rawQuery'>

/** Path and query as sent. */
export function splitUrl(raw: string): SplitUrl {
  const url = toOriginForm(raw)
  const mark = url.indexOf('?')
  return mark < 0
    ? { rawPath: url, rawQuery: undefined }
    : { rawPath: url.slice(0, mark), rawQuery: url.slice(mark + 1) }
}

/** @throws Refusal uriMalformed */
export function parseUrl(raw: string) {
  const url = splitUrl(raw)
  return { ...url, ...decodeUrl(url) }
}

/** @throws Refusal uriMalformed */
export function decodeUrl({ rawPath, rawQuery }: SplitUrl) {
  if (unusable.test(rawPath) || (rawQuery !== undefined && unusable.test(rawQuery)))
    throw malformed('It has a character that a URL must carry percent-encoded.')
  return { segments: parsePath(rawPath), query: parseQuery(rawQuery) }
}

/** Anything but visible ASCII; and `#`, which no request carries. */
const unusable = /[^\x21-\x7e]|#/

/** Path and query of a target in absolute form; any other target as it is. */
export function toOriginForm(raw: string): string {
  if (raw.startsWith('/')) return raw
  const authority = authorityOf(raw)
  if (authority === undefined) return raw
  const url = raw.slice(raw.indexOf('//') + 2 + authority.length)
  return url.startsWith('/') ? url : `/${url}`
}

/** Host and port of a target in absolute form; undefined for any other. */
export function authorityOf(raw: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(raw)?.[1]
}

/** Splits at raw slashes first and decodes afterwards: `%2F` is data, and no segment is resolved or dropped. */
export function parsePath(rawPath: string): string[] {
  const segments = rawPath.split('/')
  return rawPath.includes('%') ? segments.map(decode) : segments
}

export function parseQuery(rawQuery: string | undefined): Target['query'] {
  if (!rawQuery) return noQuery
  const query: [string, string][] = []
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    if (equals < 0) query.push([decodeForm(pair), ''])
    else query.push([decodeForm(pair.slice(0, equals)), decodeForm(pair.slice(equals + 1))])
  }
  return query
}

/** The values of each name, in order. */
export function groupQuery(query: Target['query']): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const [name, value] of query) {
    const values = byName.get(name)
    if (values) values.push(value)
    else byName.set(name, [value])
  }
  return byName
}

const noQuery: Target['query'] = Object.freeze([])

/**
 * The segment of `path` with every encoded comma replaced by a NUL: in a list `%2C` is data, as `%2F` is in a path, and
 * no target contains a NUL.
 */
export function markCommas({ rawPath, path }: Pick<Target, 'rawPath' | 'path'>, at: number): string {
  if (!encodedComma.test(rawPath)) return path[at] ?? ''
  return decode((rawPath.split('/').at(at - path.length) ?? '').replace(encodedCommas, '\0'))
}

/** The values of a query name, with commas marked in the same way. */
export function markQueryCommas({ rawQuery = '', query }: Pick<Target, 'rawQuery' | 'query'>, name: string): string[] {
  const pairs = rawQuery.split('&').filter((pair) => pair !== '')
  return pairs.flatMap((pair, at) => {
    if (query[at]?.[0] !== name) return []
    const equals = pair.indexOf('=')
    return equals < 0 ? '' : decodeForm(pair.slice(equals + 1).replace(encodedCommas, '\0'))
  })
}

const encodedComma = /%2c/i
const encodedCommas = /%2c/gi

function decodeForm(text: string): string {
  return decode(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

function decode(text: string): string {
  if (!text.includes('%')) return text
  if (text.includes('%00')) throw malformed('It has a NUL.')
  try {
    return decodeURIComponent(text)
  } catch {
    throw malformed('It has invalid percent-encoding or invalid UTF-8.')
  }
}

function malformed(fault: string): Refusal {
  return new Refusal('uriMalformed', fault, { detail: `The URL is malformed. ${fault}` })
}
