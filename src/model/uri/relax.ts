/** Reads a URL inside the connector as the plain URL that a forgiving web server makes of it (specification 33). */
import type { SplitUrl } from './target.ts'

export interface Compatibility {
  readonly emptySegments: boolean
  readonly sessionSuffix: boolean
}

export function relax(url: SplitUrl, { emptySegments, sessionSuffix }: Compatibility, gatewayPath: string): SplitUrl {
  if (!(emptySegments || sessionSuffix)) return url
  const connector = `/${gatewayPath}/RESTListeningConnector/`
  if (!url.rawPath.startsWith(connector)) return url
  let below = url.rawPath.slice(connector.length)
  if (emptySegments) below = below.replace(beforeOperation, '$1/')
  if (sessionSuffix) below = cutSession(below)
  return { rawPath: connector + below, rawQuery: url.rawQuery }
}

/** Between node and operation; the empty segments after the operation are values. */
const beforeOperation = /^([^/]+)\/{2,}(?=[^/])/

function cutSession(path: string): string {
  const at = path.indexOf(sessionMark)
  return at >= 0 && sessionId.test(path.slice(at + sessionMark.length)) ? path.slice(0, at) : path
}

const sessionMark = ';jsessionid='

/** No percent sign, so that no malformed URL is hidden; no slash and no semicolon: one suffix, at the end. */
const sessionId = /^[\w.!~*:+-]+$/
