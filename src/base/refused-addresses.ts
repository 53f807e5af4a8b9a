/** Addresses that the gateway does not connect to: for an identity provider 3.22, for handlers 5.50 of the specification. */
import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

type Subnet = readonly [address: string, bits: number]

/** Link-local, and the credential services of clouds. */
const linkLocal: readonly Subnet[] = [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['fe80::', 10],
  ['fd00:42::42', 128],
  ['fd00:a9fe:a9fe::1', 128],
  ['fd00:c1::a9fe:a9fe', 128],
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
]

const unspecified: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['::', 128],
]

const loopback: readonly Subnet[] = [
  ['127.0.0.0', 8],
  ['::1', 128],
]

/** Networks that the internet does not reach. */
const privateUse: readonly Subnet[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['240.0.0.0', 4],
  ['64:ff9b:1::', 48], // NAT64 by prefixes of its own (RFC 8215)
  ['fc00::', 7],
  ['fec0::', 10],
]

/** Ways to embed an IPv4 address in IPv6, and the bits before it: NAT64, compatible, translated, 6to4. */
const carriers: readonly (readonly [write: (four: string) => string, before: number])[] = [
  [(four) => `64:ff9b::${four}`, 96],
  [(four) => `64:ff9b:1::${four}`, 96],
  [(four) => `::${four}`, 96],
  [(four) => `::ffff:0:${four}`, 96],
  [(four) => `2002:${four}::`, 16],
]

const kinds = { linkLocal, unspecified, loopback, privateUse } as const
export type AddressKind = keyof typeof kinds

/** IPv4 addresses count also inside IPv6; `BlockList` handles mapped ones. */
function listOf(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of subnets) {
    if (isIP(address) === 6) list.addSubnet(address, bits, 'ipv6')
    else {
      list.addSubnet(address, bits, 'ipv4')
      for (const [write, before] of carriers) list.addSubnet(write(toHexadecimal(address)), before + bits, 'ipv6')
    }
  }
  return list
}

function toHexadecimal(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

export interface AddressRule {
  /** @throws AddressRefused, if the host of a URL is a refused address */
  requireAllowed(url: URL): void
  /** Resolves a name once: the connection uses that address, even if the name resolves differently later. */
  readonly lookup: LookupFunction
}

/** @param resolveName tests pass their own */
export function openAddressRule(refused: readonly AddressKind[], resolveName: typeof resolve = resolve): AddressRule {
  const list = listOf(refused.flatMap((kind) => kinds[kind]))
  const isRefused = (address: string) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return {
    requireAllowed({ hostname }) {
      const address = hostname.replace(/^\[|\]$/g, '')
      if (isIP(address) > 0 && isRefused(address)) throw new AddressRefused(`${address} is refused`)
    },
    lookup(hostname, options, callback) {
      resolveName(hostname, { ...options, all: true }, (error, addresses) => {
        const [first] = addresses ?? []
        if (error) callback(error, '')
        else if (!first) callback(Object.assign(new Error(`no address of ${hostname}`), { code: 'ENOTFOUND' }), '')
        else if (addresses.some(({ address }) => isRefused(address)))
          callback(new AddressRefused(`an address of ${hostname} is refused`), '')
        else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      })
    },
  }
}
