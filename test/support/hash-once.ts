/**
 * Password hashes of fixtures. A hash names its parameters, and one as the gateway makes it costs 20 ms of processor time
 * to make, and as much each time a call or a start verifies it: these take the least that argon2id allows.
 */
import { type Algorithm, hash } from '@node-rs/argon2'

const argon2id: Algorithm = 2
const hashes = new Map<string, Promise<string>>()

export function hashOnce(password: string): Promise<string> {
  const made =
    hashes.get(password) ??
    hash(password.normalize('NFC'), { algorithm: argon2id, memoryCost: 8, timeCost: 1, parallelism: 1 })
  hashes.set(password, made)
  return made
}
