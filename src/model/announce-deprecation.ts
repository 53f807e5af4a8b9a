/**
 * What every response of a deprecated operation announces: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to
 * the successor (specification 7.20).
 */
import type { Successor } from './deprecation.ts'
import type { Transaction } from './transaction.ts'
import type { Target } from './uri/target.ts'

export function addDeprecation(headers: string[], { operation, target }: Pick<Transaction, 'operation' | 'target'>) {
  const deprecation = operation?.deprecation
  if (!deprecation || headers.includes('deprecation')) return
  headers.push(...deprecation.headers)
  const { successor } = deprecation
  if (typeof successor === 'string') headers.push('link', writeLink(successor))
  else if (successor && target?.kind === 'operation') headers.push('link', writeLink(urlOf(successor, target)))
}

function urlOf(
  { segment, keepsPath }: Successor,
  { rawPath, rawQuery, path }: Pick<Target, 'rawPath' | 'rawQuery' | 'path'>,
) {
  const segments = rawPath.split('/')
  const at = segments.length - path.length - 1
  const rest = keepsPath ? segments.slice(at + 1) : []
  return [...segments.slice(0, at), segment, ...rest].join('/') + (keepsPath && rawQuery ? `?${rawQuery}` : '')
}

/** A URL may have these characters as they are, a link may not. */
function writeLink(url: string): string {
  return `<${url.replace(/[<>"\\]/g, encodeURIComponent)}>; rel="successor-version"`
}
