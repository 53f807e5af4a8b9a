/** Host and port of a URL, as a request names them (RFC 3986; a URL of HTTP has no empty host). */
import { isIPv6 } from 'node:net'

export function isHost(text: string): boolean {
  const match = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d{0,5})?$/i.exec(text)
  return match !== null && (match[1] === undefined || isIPv6(match[1]))
}
