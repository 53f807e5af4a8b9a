/** Random texts in large numbers: ids of sessions, traces and spans (specification 3.18, 7.3). */
import { randomFillSync } from 'node:crypto'

/**
 * Returns random bytes as text. A system call costs 1.8 µs, so it fetches and encodes many at once, and cuts each text
 * once.
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
