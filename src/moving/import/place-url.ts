/** The operation of a URL: by the shape of the original's URLs, or by its first segment (specification 16.6). */

import { splitVersion, unversioned } from '../../model/operation-name.ts'
import type { Problem } from '../../model/problem.ts'
import { hideWebTokens, isSecretParameter, unescapeNames } from '../../model/secret-name.ts'
import { encodeSegment } from '../../model/uri/build-uri.ts'
import { gatewayPathPattern, parseUrl } from '../../model/uri/target.ts'
import { quoteNames } from './write-notes.ts'

export interface PlacedUrl {
  /** Path and query, without credentials of any kind. */
  readonly shown: string
  /** Undefined if the URL does not have the shape of the original's. */
  readonly gatewayPath: string | undefined
  readonly node: string | undefined
  /** The text before the version, unchanged; the whole segment if its version is `none`. */
  readonly alias: string
  readonly version: string
  /** Decoded, after the operation. */
  readonly path: readonly string[]
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Names of removed query parameters, and of segments without their value: they carry credentials. */
  readonly secrets: readonly string[]
}

export const connector = 'RESTListeningConnector'
/** No server reads a longer one. */
export const maxUrl = 16 * 1024

/** @throws Refusal if it is not a URL, Error if it names no operation */
export function placeUrl(url: string): PlacedUrl {
  if (url.length > maxUrl) throw new Error(`is longer than ${maxUrl} characters`)
  const parsed = parseUrl(url.replace(/#.*$/s, ''))
  const { query } = parsed
  if (parsed.segments[0] !== '' || parsed.segments.length === 1)
    throw new Error('is not a URL with a path: https://host/path')
  const hidden = parsed.segments.flatMap((segment) => secretsOf(segment))
  const segments = hidden.length === 0 ? parsed.segments : parsed.segments.map((segment) => hideSecret(segment))
  const rawPath = hidden.length === 0 ? parsed.rawPath : segments.map(encodeSegment).join('/')
  const kept = query
    .filter(([name]) => !isSecretParameter(name))
    .map(([name, value]) => [name, hideWebTokens(value)] as const)
  const user = /^[a-z][\w+.-]*:\/\/[^/?#]*@/i.test(url) ? ['the user before the host'] : []
  const secrets = [...query.filter(([name]) => isSecretParameter(name)).map(([name]) => name), ...hidden, ...user]
  const pairs = kept.map((pair) => pair.map(encodeURIComponent).join('='))
  const shown = rawPath + (pairs.length > 0 ? `?${pairs.join('&')}` : '')
  return { ...placePath(segments.slice(1)), query: kept, secrets, shown }
}

/** Of a URL whose rest cannot be read: a call that is left out still says what its operation needs. */
export function placeOperation(url: string): PlacedUrl | undefined {
  const [beginning] = /^[^?#]{0,1000}?\/RESTListeningConnector\/[^/?#]{1,200}\/[^/?#]{1,200}/.exec(url) ?? []
  try {
    return beginning === undefined ? undefined : placeUrl(beginning)
  } catch {
    return undefined
  }
}

/** `EMPLID=KU0001`, as the original's URLs have it. */
export function splitSegment(segment: string): { readonly name?: string; readonly value: string } {
  const [, name, value] = /^([A-Za-z][A-Za-z0-9_]{0,59})=(.*)$/s.exec(segment) ?? []
  return name === undefined || value === undefined ? { value: segment } : { name, value }
}

/** `token=…` as a segment, `;jsessionid=…` behind one, or a JSON Web Token: what to call it. */
function secretsOf(segment: string): readonly string[] {
  const { name } = splitSegment(segment)
  if (name !== undefined && isSecretParameter(name)) return [name]
  const behind = [...segment.matchAll(parameter)].flatMap(([, name = '']) => (isSecretParameter(name) ? name : []))
  return isRedacted(hideWebTokens(segment)) ? [...behind, 'a token in the path'] : behind
}

function hideSecret(segment: string): string {
  const { name } = splitSegment(segment)
  if (name !== undefined && isSecretParameter(name)) return `${name}=`
  return hideWebTokens(segment.replace(parameter, (whole, name) => (isSecretParameter(name) ? '' : whole)))
}

/** A parameter at the end of a segment (RFC 3986, 3.3): `;jsessionid=1`. */
const parameter = /;([^;=]*)=[^;]*/g

/** A value that is not imported, because it has a token. */
export function isRedacted(value: string): boolean {
  return value.includes('[redacted]')
}

/** Whether a URL anywhere in a text has credentials: `https://user:password@host`, `?access_token=…`. */
export function carriesSecret(text: string): boolean {
  const names = [...text.matchAll(/[?&#;]([^=?&#;\s]+)=/g)].map(([, name = '']) => name)
  return /\/\/[^/\s]*@/.test(text) || names.some((name) => isSecretParameter(unescapeNames(name)))
}

export type PlacedPath = Pick<PlacedUrl, 'gatewayPath' | 'node' | 'alias' | 'version' | 'path'>

/** @param segments of the path, without the empty one before its first slash */
export function placePath(segments: readonly string[]): PlacedPath {
  const at = segments.indexOf(connector)
  if (at >= 0) return placeOriginal(segments, at)
  const own = splitOperation(segments[0])
  if (own && /^[A-Za-z][\w-]*$/.test(own.alias))
    return { gatewayPath: undefined, node: undefined, ...own, path: segments.slice(1) }
  const versionAt = segments.slice(0, 3).findIndex((segment) => /^v[1-9]\d{0,8}$/.test(segment))
  const unversioned = segments.filter((_, index) => index !== versionAt)
  const rest = /^(?:api|rest)$/i.test(unversioned[0] ?? '') && unversioned[1] ? unversioned.slice(1) : unversioned
  const [first = ''] = rest
  const isName = /^[^{}]*[A-Za-z][^{}]*$/.test(first)
  return {
    gatewayPath: undefined,
    node: undefined,
    alias: isName ? first : 'ROOT',
    version: segments[versionAt] ?? 'v1',
    path: isName ? rest.slice(1) : rest,
  }
}

function placeOriginal(segments: readonly string[], at: number): PlacedPath {
  const [node = '', operation = '', ...path] = segments.slice(at + 1)
  const own = splitOriginal(operation)
  if (node === '' || own === undefined) throw new Error(`has no <node>/<operation>.v<number> after ${connector}`)
  return { gatewayPath: gatewayPathOf(segments, at), node, ...own, path }
}

/** @param at where the connector is */
export function gatewayPathOf(segments: readonly string[], at: number): string | undefined {
  return segments.slice(0, at).map(encodeSegment).join('/').replace(/^\/+/, '') || undefined
}

/** The most frequent one that is a valid setting; a note names the others (specification 16.10). */
export function chooseGatewayPath(
  placed: readonly Pick<PlacedUrl, 'gatewayPath'>[],
  notices: Problem[],
): string | undefined {
  const paths = countNames(placed.map(({ gatewayPath }) => gatewayPath))
  const chosen = paths.find((path) => gatewayPathPattern.test(path))
  const others = paths.filter((path) => path !== chosen)
  if (others.length > 0)
    notices.push({
      path: 'the gateway path',
      message: `is ${chosen ?? defaultGatewayPath}, also for the URLs below ${quoteNames(others)}: a gateway has one`,
    })
  return chosen
}

/** Each once, the most frequent first. */
export function countNames(names: readonly (string | undefined)[]): readonly string[] {
  const groups = [...Map.groupBy(names, (name) => name)].sort(([, a], [, b]) => b.length - a.length)
  return groups.flatMap(([name]) => name ?? [])
}

export const defaultGatewayPath = 'PSIGW'

/** As the gateway reads it; undefined if it is no operation with a version. */
export function splitOperation(segment = ''): Pick<PlacedUrl, 'alias' | 'version'> | undefined {
  const { name: alias, version } = splitVersion(segment)
  return alias !== '' && /^v[1-9]\d{0,8}$/.test(version) ? { alias, version } : undefined
}

/** The same below the connector, where an operation may have no version: `absence`. */
export function splitOriginal(segment: string): Pick<PlacedUrl, 'alias' | 'version'> | undefined {
  const isUnversioned = /^[a-z][a-z0-9_-]{0,59}$/.test(segment)
  return splitOperation(segment) ?? (isUnversioned ? { alias: segment, version: unversioned } : undefined)
}
