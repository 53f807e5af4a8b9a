/** Random texts in great numbers: ids of sessions, traces and spans (specification 3.18, 7.3). */
import { randomFillSync } from 'node:crypto'

/**
 * So many random bytes as text at each call. Asking the system costs 1.8 µs: many are fetched and encoded at once, and
 * each text is cut from them once.
 */
export function openRandomTexts(bytes: number, encoding: 'base64url' | 'hex'): () => string {
  const pool = Buffer.alloc(bytes * 256)
  const length = Buffer.alloc(bytes).toString(encoding).length // without padding: 24 is a multiple of 3
  let texts = ''
  let used = 0
  return () => {
    if (used === texts.length) {
      texts = randomFillSync(pool).toString(encoding)
      used = 0
    }
    used += length
    return texts.slice(used - length, used)
  }
}
