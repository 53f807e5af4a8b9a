/**
 * How a call reached the gateway: what its connection shows, or what trusted proxies wrote (specification 28.1 to 28.5).
 * Everything is read from the right: the last part was written by the known proxy.
 */
import { type AddressList, readAddress } from '../base/address-list.ts'
import { isHost } from '../base/host.ts'

export interface Arrival {
  readonly remoteAddress: string
  readonly isSecure: boolean
  /** What a trusted proxy says that the caller asked for; undefined: the request's own. */
  readonly host?: string | undefined
  /** The trusted proxy that made the connection; undefined: there is none. */
  readonly proxy?: string | undefined
}

/** One is read, and never another: a proxy passes on what it does not overwrite. */
export type HeaderFamily = 'x-forwarded' | 'forwarded'

export interface TrustedProxies {
  readonly list: AddressList
  readonly header: HeaderFamily
  /** The PROXY protocol states the caller: headers are what callers wrote, and none is read. */
  readonly protocol: boolean
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** An address that a trusted proxy does not know or state: it is in no list, and counts as one caller. */
export const unknownAddress = 'unknown'

/** Of a connection: to a listener of both families an IPv4 address comes in IPv6. */
export function addressOf({ remoteAddress = '' }: { readonly remoteAddress?: string | undefined }): string {
  return remoteAddress.startsWith('::ffff:') ? (readAddress(remoteAddress) ?? remoteAddress) : remoteAddress
}

/** How a call arrived on a connection from anywhere. */
export function findArrival(headers: Headers, peer: Arrival, proxies: TrustedProxies | undefined): Arrival {
  const trusted = findTrusted(peer, proxies)
  return trusted ? readArrival(headers, peer, trusted) : peer
}

/** Undefined if no forwarding header of this connection is read. */
export function findTrusted<Proxies extends TrustedProxies>(
  { remoteAddress }: Pick<Arrival, 'remoteAddress'>,
  proxies: Proxies | undefined,
): Proxies | undefined {
  return !proxies?.protocol && proxies?.list.includes(remoteAddress) ? proxies : undefined
}

/** Which address counts, and why. */
export function explainArrival(
  { remoteAddress, isSecure, proxy }: Arrival,
  proxies: TrustedProxies | undefined,
): string {
  const scheme = isSecure ? 'over TLS' : 'without TLS'
  if (proxy === undefined) {
    const why = proxies?.protocol
      ? 'headers do not count (ig.proxyProtocol)'
      : 'which is no trusted proxy: what it says in headers does not count'
    return `${remoteAddress} ${scheme}, as the connection shows${proxies ? `, ${why}` : ''}`
  }
  if (remoteAddress === proxy) return `${remoteAddress} ${scheme}: a trusted proxy, which states no caller`
  return `${remoteAddress} ${scheme}, as the trusted proxy ${proxy} states`
}

/** @param peer the connection: a trusted proxy */
export function readArrival(headers: Headers, peer: Arrival, { list, header }: TrustedProxies): Arrival {
  return families[header](headers, peer, list)
}

const families: Readonly<Record<HeaderFamily, (headers: Headers, peer: Arrival, trusted: AddressList) => Arrival>> = {
  'x-forwarded': (headers, peer, trusted) => {
    const proto = headers['x-forwarded-proto']
    return {
      remoteAddress: findAddress(textOf(headers['x-forwarded-for']), peer.remoteAddress, trusted),
      // Of several values a client may have written one
      isSecure: proto === undefined ? peer.isSecure : textOf(proto).toLowerCase() === 'https',
      host: hostOf(textOf(headers['x-forwarded-host']).split(',').at(-1)?.trim()),
      proxy: peer.remoteAddress,
    }
  },
  forwarded: readForwarded,
}

/** From the right, as long as trusted proxies have written: the first address that is not one of theirs. */
function findAddress(list: string, peer: string, trusted: AddressList): string {
  let address = peer
  for (let end = list.length; end > 0 && trusted.includes(address); ) {
    const start = list.lastIndexOf(',', end - 1) + 1
    const stated = list.slice(start, end).trim()
    if (stated !== '') address = readAddress(stated) ?? unknownAddress
    end = start - 1
  }
  return address
}

/** RFC 7239: an element for each proxy. */
function readForwarded(headers: Headers, peer: Arrival, trusted: AddressList): Arrival {
  const text = textOf(headers.forwarded)
  let address = peer.remoteAddress
  let host: string | undefined
  const protos = new Set<string>()
  for (let end = text.length; end > 0 && trusted.includes(address); ) {
    const start = startOfElement(text, end)
    const element = text.slice(start, end).trim()
    end = start - 1
    if (element === '') continue
    const { for: node, host: asked, proto, isMalformed } = readElement(element)
    if (proto !== undefined || isMalformed) protos.add(isMalformed ? '' : (proto ?? ''))
    host = hostOf(asked) ?? host
    if (node === undefined && !isMalformed) break // it does not say from whom
    address = readAddress(node ?? '') ?? unknownAddress
  }
  const [proto, ...others] = protos
  return {
    remoteAddress: address,
    isSecure: proto === undefined ? peer.isSecure : proto === 'https' && others.length === 0,
    host,
    proxy: peer.remoteAddress,
  }
}

/** Commas in quotes separate nothing. From the right: what a client left open on the left hides no element of a proxy. */
function startOfElement(text: string, end: number): number {
  let isQuoted = false
  for (let at = end - 1; at >= 0; at -= 1) {
    if (text[at] === ',' && !isQuoted) return at + 1
    if (text[at] === '"' && !(isQuoted && isEscaped(text, at))) isQuoted = !isQuoted
  }
  return 0
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first -= 1
  return (at - first) % 2 === 1
}

interface Element {
  readonly for?: string | undefined
  readonly host?: string | undefined
  readonly proto?: string | undefined
  /** Nothing of it counts. */
  readonly isMalformed: boolean
}

/** Many proxies write an IPv6 address, or a port, without the quotes that the grammar requires. */
const pair = /[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]+))[ \t]*(?:;|$)/y

function readElement(text: string): Element {
  const pairs = new Map<string, string>()
  for (pair.lastIndex = 0; pair.lastIndex < text.length; ) {
    const [, name, quoted, bare = ''] = pair.exec(text) ?? []
    const key = name?.toLowerCase()
    if (key === undefined || pairs.has(key)) return { isMalformed: true }
    pairs.set(key, quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1'))
  }
  return {
    for: pairs.get('for'),
    host: pairs.get('host'),
    proto: pairs.get('proto')?.toLowerCase(),
    isMalformed: false,
  }
}

function hostOf(text: string | undefined): string | undefined {
  return text !== undefined && isHost(text) ? text : undefined
}

function textOf(value: string | string[] | undefined): string {
  return value === undefined ? '' : String(value)
}
