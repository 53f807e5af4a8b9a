/** Reads UTF-8 in a request line as if it were percent-encoded, before the parser, which refuses it (specification 33.4). */

/**
 * The piece with each byte above 127 encoded, up to the end of the request line.
 * @param before what has come of the head
 */
export function encodeLine(before: string, piece: Buffer, from: number): Buffer {
  if (before.trimStart().includes('\n')) return piece
  let start = from
  if (before.trim() === '') while (piece[start] === 0x0d || piece[start] === 0x0a) start += 1 // empty lines may come before
  const end = piece.indexOf('\n', start)
  const line = piece.toString('latin1', start, end < 0 ? piece.length : end)
  if (!highByte.test(line)) return piece
  const encoded = line.replace(highBytes, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  return Buffer.concat([
    piece.subarray(0, start),
    Buffer.from(encoded, 'latin1'),
    ...(end < 0 ? [] : [piece.subarray(end)]),
  ])
}

const highByte = /[\x80-\xff]/
const highBytes = /[\x80-\xff]/g
