/**
 * How often a secret may be guessed (specification 18.10): by name from an address, and by address, so that who shares an
 * address with a guesser is not kept out. What was no guess is given back.
 */
import { AdminProblem } from './problem-details.ts'

export interface Attempts {
  /** @throws AdminProblem `rateLimited`, where the address has none left */
  requireAny(address: string): void
  /** Takes one. @returns gives it back @throws AdminProblem `rateLimited` */
  take(address: string, name: string): () => void
}

/** In a minute. */
export const attemptsPerMinute = { ofName: 10, ofAddress: 100 }
const minute = 60_000
/** Addresses and names that are counted at a time: beyond them, who was first counted is forgotten. */
const most = 10_000

interface Count {
  taken: number
  readonly until: number
}

export function openAttempts(limits: typeof attemptsPerMinute, now = () => performance.now()): Attempts {
  const counts = new Map<string, Count>()
  const find = (key: string) => {
    const known = counts.get(key)
    if (known && known.until > now()) return known
    const made = { taken: 0, until: now() + minute }
    counts.delete(key) // the map is in the order in which they end
    const [oldest] = counts.keys()
    if (oldest !== undefined && counts.size >= most) counts.delete(oldest)
    counts.set(key, made)
    return made
  }
  const require = ({ taken, until }: Count, limit: number) => {
    if (taken < limit) return
    const seconds = Math.max(1, Math.ceil((until - now()) / 1000))
    const headers = { 'retry-after': String(seconds) }
    throw new AdminProblem('rateLimited', `Try again in ${seconds} s.`, { headers })
  }
  return {
    requireAny: (address) => require(find(networkOf(address)), limits.ofAddress),
    take(address, name) {
      const network = networkOf(address)
      const taken = [find(network), find(JSON.stringify([network, name]))] as const
      const [ofAddress, ofName] = taken
      require(ofAddress, limits.ofAddress)
      require(ofName, limits.ofName)
      for (const count of taken) count.taken += 1
      return () => {
        for (const count of taken) count.taken -= 1
      }
    },
  }
}

/** Whoever has one of these addresses has them all: those of loopback, and the first 64 bits of IPv6 with any others. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (plain.startsWith('127.') || plain === '::1') return 'loopback'
  if (!plain.includes(':')) return plain
  const [head = [], tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = tail ? Array(8 - head.length - tail.length).fill('0') : []
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':')
}
