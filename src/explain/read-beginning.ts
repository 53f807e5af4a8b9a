/** The first bytes of a reply, to be displayed: what is longer is not read (specification 15.1, 19.11). */
import type { ReplyBody } from '../model/call.ts'

/** A stream that fails is reported at its end, and what it yielded before is shown. */
export async function readBeginning({ bytes, file, stream }: ReplyBody, max: number): Promise<Buffer> {
  const source = stream ?? file
  if (!source) return bytes.subarray(0, max)
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of source.read()) {
      pieces.push(Buffer.from(piece))
      size += piece.length
      if (size >= max) break
    }
  } catch (error) {
    if (!stream) throw error
  }
  return Buffer.concat(pieces).subarray(0, max)
}

/** Undefined if it is not text; the last character may be cut. */
export function decodeBeginning(bytes: Buffer, max: number): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: bytes.length === max })
  } catch {
    return undefined
  }
}
