/** The session token of a request: a header, a cookie, or both if they are equal (specification 27.2). */
import type { Call } from '../../model/call.ts'

/** Characters: longer ones are refused unread. Ours have about 300. */
const maxTokenLength = 4096

/** @throws Error with a message for the log */
export function readSessionToken({ ps_token: header, cookie }: Call['headers']): string {
  const stated = typeof cookie === 'string' && cookie.includes(cookieName) ? readCookie(cookie) : undefined
  if (header !== undefined && stated !== undefined && header !== stated) throw new Error('header and cookie differ')
  const token = header ?? stated
  if (token === undefined || token === '') throw new Error('no session token')
  if (typeof token !== 'string' || token.length > maxTokenLength) throw new Error('malformed session token')
  return token
}

const cookieName = 'PS_TOKEN='

/** Without regular expressions: a browser sends it with every call. */
function readCookie(cookies: string): string | undefined {
  let found: string | undefined
  for (let at = cookies.indexOf(cookieName); at >= 0; at = cookies.indexOf(cookieName, at + 1)) {
    if (!beginsPair(cookies, at)) continue
    const end = cookies.indexOf(';', at)
    const value = unquote(cookies.slice(at + cookieName.length, end < 0 ? cookies.length : end).trimEnd())
    if (found !== undefined && found !== value) throw new Error('several cookies PS_TOKEN')
    found = value
  }
  return found
}

/** A cookie's value may be in quotation marks (RFC 6265, 4.1.1). */
function unquote(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

function beginsPair(cookies: string, at: number): boolean {
  const before = cookies.slice(0, at).trimEnd()
  return before === '' || before.endsWith(';')
}
