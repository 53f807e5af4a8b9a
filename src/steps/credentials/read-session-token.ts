/** The session token of a request: a header, a cookie, or both if they are equal (specification 27.2). */
import type { Call } from '../../model/call.ts'

/** Characters: longer ones are refused unread. Ours have about 300. */
const longest = 4096

/** @throws Error with a message for the log */
export function readSessionToken({ ps_token: header, cookie }: Call['headers']): string {
  const stated = typeof cookie === 'string' && cookie.includes('PS_TOKEN') ? readCookie(cookie) : undefined
  if (header !== undefined && stated !== undefined && header !== stated) throw new Error('header and cookie differ')
  const token = header ?? stated
  if (token === undefined || token === '') throw new Error('no session token')
  if (typeof token !== 'string' || token.length > longest) throw new Error('malformed session token')
  return token
}

function readCookie(cookies: string): string | undefined {
  const values = cookies.split(';').flatMap((pair) => {
    const [, value] = /^[ \t]*PS_TOKEN=(.*?)[ \t]*$/s.exec(pair) ?? []
    return value === undefined ? [] : [value]
  })
  if (values.length > 1) throw new Error('several cookies PS_TOKEN')
  return values[0]
}
