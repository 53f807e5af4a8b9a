/**
 * The first answer to a call with an Idempotency-Key, as the bytes of its row (specification 26.4, 26.5): the length of
 * the headers, the headers as JSON, the body; encrypted if `ig.secretKey` is set.
 */
import type { OperationResponse, ReplyBody } from '../../model/call.ts'

export interface KeptAnswer {
  /** Flat: name, value… content-type first. */
  readonly headers: readonly string[]
  readonly body: Buffer
  /** The body was too long, or cannot be decrypted any more. */
  readonly isTruncated: boolean
}

/** Bytes. */
export const longestBody = 64 * 1024

/** @param body undefined for a stream */
export function keepAnswer(headers: readonly string[], body: ReplyBody | undefined): KeptAnswer {
  const bytes = body && !body.file && !body.stream ? body.bytes : undefined
  const isTruncated = bytes === undefined || bytes.length > longestBody
  // Without a body there is nothing of this type
  const isKept = (name: string) => name !== 'set-cookie' && !(isTruncated && name.startsWith('content-'))
  const kept = headers.filter((_, at) => isKept(headers[at & ~1] ?? ''))
  return { headers: kept, body: isTruncated ? nothing : bytes, isTruncated }
}

export function packAnswer({ headers, body, isTruncated }: KeptAnswer): Buffer {
  const head = Buffer.from(JSON.stringify({ headers, isTruncated }))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head, body])
}

export function unpackAnswer(bytes: Buffer): KeptAnswer {
  const end = 4 + bytes.readUInt32BE()
  return { ...JSON.parse(bytes.toString('utf8', 4, end)), body: bytes.subarray(end) }
}

export function repeatAnswer(status: number, { headers, body, isTruncated }: KeptAnswer): OperationResponse {
  return {
    status,
    headers: [...headers, 'ig-idempotent-replay', isTruncated ? 'truncated' : 'true'],
    body: { bytes: body },
  }
}

const nothing = Buffer.alloc(0)
