/** Secrets of the administration plane: 256 random bits each; the store has only their digests (specification 18.6). */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Without salt and stretching, because 256 random bits cannot be guessed. */
export function digestSecret(secret: string): string {
  return hash('sha256', `ig administration ${secret}`)
}

/** Derived from the session's secret, so it is not stored, and does not reveal the secret. */
export function csrfTokenOf(sessionSecret: string): string {
  return hash('sha256', `ig administration csrf ${sessionSecret}`, 'base64url')
}

export function areEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
