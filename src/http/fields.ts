/** The header fields of a request by name, as handlers know them from `node:http` (specification 5.4). */

/** Without the names that every object has: a request may have a field `constructor`. */
export class Headers {
  [name: string]: string | string[] | undefined
}
Object.setPrototypeOf(Headers.prototype, null)
Reflect.deleteProperty(Headers.prototype, 'constructor')

export interface Fields {
  readonly headers: Headers
  /** Length of the body; undefined if it comes in chunks. */
  readonly length: number | undefined
  /** A name that must not come twice. */
  readonly twice: string | undefined
}

/** @param text a head from behind its URL, as llhttp has read it: no line is folded @param most of them */
export function readFields(text: string, max: number): Fields {
  const headers = new Headers()
  let twice: string | undefined
  let at = text.indexOf('\n') + 1
  for (let count = 0; count < max; count += 1) {
    const end = text.indexOf('\r\n', at)
    if (end <= at) break
    const colon = text.indexOf(':', at)
    const name = text.slice(at, colon).toLowerCase()
    if (!addHeader(headers, name, trim(text, colon + 1, end))) twice ??= name
    at = end + 2
  }
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
  return { headers, length, twice }
}

function trim(text: string, start: number, end: number): string {
  let [first, last] = [start, end]
  while (first < last && isBlank(text.charCodeAt(first))) first += 1
  while (last > first && isBlank(text.charCodeAt(last - 1))) last -= 1
  return text.slice(first, last)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** As `node:http` has them, but for `From`, which names a sender (44.3): of these the first counts. */
const firstCounts = new Set([
  ...['age', 'content-length', 'etag', 'expires', 'if-modified-since', 'if-unmodified-since'],
  ...['last-modified', 'location', 'max-forwards', 'proxy-authorization', 'referer', 'retry-after', 'server'],
  'user-agent',
])
const comesOnce = new Set(['host', 'authorization', 'content-type'])

/** @returns false where it must not come twice */
function addHeader(headers: Headers, name: string, value: string): boolean {
  const before = headers[name]
  if (before === undefined) headers[name] = name === 'set-cookie' ? [value] : value
  else if (Array.isArray(before)) before.push(value)
  else if (comesOnce.has(name)) return false
  else if (!firstCounts.has(name)) headers[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`
  return true
}
