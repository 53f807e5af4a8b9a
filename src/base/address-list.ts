/** Addresses in one notation, and lists of addresses and networks (specification 28.1, 28.9, 28.10). */
import { BlockList, isIP, SocketAddress } from 'node:net'

export interface AddressList {
  /** The networks as they were given. */
  readonly networks: readonly string[]
  /** Any text may be asked for: what is no address is in no list. */
  includes(address: string): boolean
}

export const networkRule = 'must be an address or a network, such as 10.0.0.5, 10.1.0.0/16 or 2001:db8::/32'

export function isNetwork(text: string): boolean {
  return readNetwork(text) !== undefined
}

/** @throws Error with `networkRule` */
export function openAddressList(networks: readonly string[]): AddressList {
  const list = new BlockList()
  for (const text of networks) {
    const network = readNetwork(text)
    if (!network) throw new Error(networkRule)
    list.addSubnet(network.address, network.bits, network.family)
  }
  return {
    networks,
    includes(text) {
      const zone = text.indexOf('%') // of a link-local address
      const address = zone < 0 ? text : text.slice(0, zone)
      const version = isIP(address)
      return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4') // an IPv4 address in IPv6 too
    },
  }
}

/**
 * The address of a node as proxies write it: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`. In one
 * notation, IPv4 never as IPv6. Undefined for anything else, such as `unknown` and `_hidden`.
 */
export function readAddress(text: string): string | undefined {
  const [, bracketed, four] = node.exec(text) ?? []
  const address = bracketed ?? four ?? text
  const version = address.length > maxCharacters || address.includes('%') ? 0 : isIP(address)
  if (version === 0 || (bracketed !== undefined && version === 4)) return undefined
  if (version === 4) return address
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(mapped, '')
}

/** In brackets, or IPv4 with a port; a port may be obfuscated (RFC 7239). */
const node = /^(?:\[([\da-f:.]{2,45})\](?::[\w.-]{1,40})?|(\d{1,3}(?:\.\d{1,3}){3}):[\w.-]{1,40})$/i
const maxCharacters = 45
/** The prefix of an IPv4 address in an IPv6 address. */
const mapped = /^::ffff:(?=\d+\.)/i

interface Network {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

function readNetwork(text: string): Network | undefined {
  const [, given = '', suffix] = /^([\da-f.:]{2,45})(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const isMapped = mapped.test(given)
  const address = given.replace(mapped, '')
  const version = isIP(address)
  if (version === 0) return undefined
  const max = version === 4 ? 32 : 128
  const bits = suffix === undefined ? max : Number(suffix) - (isMapped ? 96 : 0)
  return bits >= 0 && bits <= max ? { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined
}
