/** Secrets of the administration plane: 256 random bits each, of which the store has the digest only (specification 18.6). */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** No salt and no stretching: nobody guesses 256 random bits. */
export function digestSecret(secret: string): string {
  return hash('sha256', `ig administration ${secret}`)
}

/** Follows from what the session's cookie holds, so that it is stored nowhere; and does not tell it. */
export function csrfTokenOf(sessionSecret: string): string {
  return hash('sha256', `ig administration csrf ${sessionSecret}`, 'base64url')
}

export function areEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
