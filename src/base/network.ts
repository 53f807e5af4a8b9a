/** Addresses that count as one caller's: a network for guesses and connections (specification 3.24), others for limits (25.4). */

/** A single IPv4 address, the first 64 bits of IPv6, all of loopback. */
export function subnetOf(address: string): string {
  const groups = groupsOf(address)
  return typeof groups === 'string' ? groups : groups.slice(0, 4).join(':')
}

/** The same with the first 48 bits of IPv6, which one client may own. */
export function networkOf(address: string): string {
  const groups = groupsOf(address)
  return typeof groups === 'string' ? groups : `${groups.slice(0, 3).join(':')}::/48`
}

function groupsOf(address: string): string | readonly string[] {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (plain.startsWith('127.') || plain === '::1') return 'loopback'
  if (!plain.includes(':')) return plain
  const [head = [], tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = tail ? Array(Math.max(0, 8 - head.length - tail.length)).fill('0') : []
  return [...head, ...zeros, ...(tail ?? [])]
}

/** A larger network, as one provider may give to many clients: the first 24 bits of IPv4, the first 48 of IPv6. */
export function rangeOf(address: string): string {
  const network = networkOf(address)
  return /^\d+(?:\.\d+){3}$/.test(network) ? `${network.slice(0, network.lastIndexOf('.'))}.0/24` : network
}
