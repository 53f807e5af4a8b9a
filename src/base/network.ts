/** Addresses that count as one caller's (specification 3.24, 25.3). */

/** A single IPv4 address, the first 64 bits of IPv6, all of loopback. */
export function subnetOf(address: string): string {
  const groups = groupsOf(address)
  return typeof groups === 'string' ? groups : groups.slice(0, 4).join(':')
}

/** The network of an address: 24 bits of IPv4, 48 of IPv6 (one client may own as many), or all of loopback. */
export function networkOf(address: string): string {
  const groups = groupsOf(address)
  if (typeof groups !== 'string') return `${groups.slice(0, 3).join(':')}::/48`
  return groups.replace(/\.\d+$/, '.0/24')
}

function groupsOf(address: string): string | readonly string[] {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (plain.startsWith('127.') || plain === '::1') return 'loopback'
  if (!plain.includes(':')) return plain
  const [head = [], tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = tail ? Array(Math.max(0, 8 - head.length - tail.length)).fill('0') : []
  return [...head, ...zeros, ...(tail ?? [])]
}
