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

/** UUIDs of version 4 (RFC 9562) in the same way: Node's `randomUUID` concatenates some twenty strings for each. */
export function openRandomUuids(): () => string {
  const count = 256
  const random = Buffer.alloc(16 * count)
  const written = Buffer.alloc(uuidLength * count, '-')
  let texts = ''
  let used = 0
  return () => {
    if (used === texts.length) {
      writeUuids(randomFillSync(random), written)
      texts = written.toString('latin1')
      used = 0
    }
    used += uuidLength
    return texts.slice(used - uuidLength, used)
  }
}

const uuidLength = 36
/** The positions of the two digits of each byte. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const digits = Buffer.from('0123456789abcdef')

function writeUuids(random: Buffer, text: Buffer): void {
  for (let byte = 0; byte < random.length; byte += 1) {
    const place = byte & 15
    const value = random[byte] as number
    const marked = place === 6 ? (value & 0x0f) | 0x40 : place === 8 ? (value & 0x3f) | 0x80 : value
    const at = (byte >> 4) * uuidLength + (places[place] as number)
    text[at] = digits[marked >> 4] as number
    text[at + 1] = digits[marked & 15] as number
  }
}
