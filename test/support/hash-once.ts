/** Password hashes of fixtures: each costs 20 ms of processor time, and every gateway of a test file has the same operators. */
import { hashPassword } from '../../src/steps/credentials/password.ts'

const hashes = new Map<string, Promise<string>>()

export function hashOnce(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hash)
  return hash
}
