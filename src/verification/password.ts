/** Password hashes: argon2id in PHC form, so that each hash contains its own parameters (specification 3.2). */
import { type Algorithm, hash, type Options, verify } from '@node-rs/argon2'

const argon2id: Algorithm = 2
/** OWASP's first choice: 19 MiB, two passes, one lane; 8 ms on one core. */
const parameters: Options = { algorithm: argon2id, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

export function hashPassword(password: string): Promise<string> {
  return hash(asTyped(password), parameters)
}

/** @throws if `passwordHash` is not an argon2 hash */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, asTyped(password))
}

/** Keyboards differ in how they compose an `é`: RFC 7617 compares passwords in normal form C. */
function asTyped(password: string): string {
  return password.normalize('NFC')
}
