/** Networks, as guesses and connections are counted by: the addresses that one client has when it has one of them (specification 3.25). */

/** IPv4 addresses one by one, IPv6 by their first 64 bits, all of loopback as one. */
export function networkOf(address: string): string {
  const groups = groupsOf(address)
  return typeof groups === 'string' ? groups : groups.slice(0, 4).join(':')
}

/** What one client may have been given: the first 48 bits of IPv6. */
export function siteOf(address: string): string {
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
