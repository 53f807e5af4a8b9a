/** gzip, where the request accepts it and it is worth it (specification 7.2). */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { parseQualities } from '../base/quality.ts'
import { type Reply, type ReplyBody, worthwhileBytes } from '../model/call.ts'

const compress = promisify(gzip)

const textual = /^(?:text\/|application\/(?:json|xml|javascript)\b|[^;]*\+(?:json|xml)\b)/i

/** Whether another `Accept-Encoding` could have been answered with other bytes: `Vary` tells caches so. */
export function isCompressible({ headers, body }: Reply): boolean {
  const { bytes, file, stream, isFinal } = body
  if (isFinal) return false
  const size = stream ? (stream.size ?? worthwhileBytes) : (file?.size ?? bytes.length)
  if (size < worthwhileBytes) return false
  let isTextual = false
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase()
    if (name === 'content-encoding') return false
    if (name === 'content-type') isTextual = textual.test(headers[index + 1] ?? '')
  }
  return isTextual
}

export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  if (typeof acceptEncoding !== 'string') return false
  const qualities = parseQualities(acceptEncoding)
  const gzip = qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0
  return gzip > 0 && gzip >= (qualities.get('identity') ?? 0)
}

/** The bytes as they are where compressing gains nothing. Off the main thread, and once for each body. */
export async function compressBody(body: ReplyBody): Promise<Buffer> {
  const { bytes } = body
  const gzip = (body.gzip ??= await compress(bytes))
  return gzip.length < bytes.length ? gzip : bytes
}
