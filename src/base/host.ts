/** Host and port of a URL, as a request names them (RFC 3986; a URL of HTTP has no empty host). */
import { isIPv6, type Server } from 'node:net'

export function isHost(text: string): boolean {
  const match = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d{0,5})?$/i.exec(text)
  return match !== null && (match[1] === undefined || isIPv6(match[1]))
}

/** Whether a serialized origin (RFC 6454) has this host and port; a default port may be stated or not. `null` has none. */
export function isOriginOf(origin: string, host: string | undefined): boolean {
  const [, scheme, authority = ''] = /^(https?):\/\/(.*)$/i.exec(origin) ?? []
  if (host === undefined || !isHost(authority)) return false
  const [one, other] = [authority, host].map((each) => URL.parse(`${scheme}://${each}`)?.host)
  return one !== undefined && one === other
}

/** `127.0.0.1:8080`, `[::1]:8080` @param host at which the server listens */
export function formatAddress(host: string, server: Pick<Server, 'address'>): string {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
