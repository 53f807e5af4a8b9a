/** Bodies of other servers as what they contain. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

type Decoder = (bytes: Buffer, bounds: { readonly maxOutputLength: number }) => Buffer

const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['identity', (bytes) => bytes],
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
] as const)

/** @param coding `Content-Encoding` @returns undefined if it is not known, the bytes are not of it, or contain more than `most` */
export function decompress(bytes: Buffer, coding = 'identity', max: number): Buffer | undefined {
  try {
    return bytes.length === 0 ? bytes : decoders.get(coding.trim().toLowerCase())?.(bytes, { maxOutputLength: max })
  } catch {
    return undefined
  }
}
