/**
 * The first response to a call with an Idempotency-Key, as the bytes of its row (specification 26.4, 26.5): the length of
 * the headers, the headers as JSON, the body; encrypted if `ig.secretKey` is set.
 */
import type { SecretKey } from '../../base/secret-key.ts'
import type { OperationResponse, ReplyBody } from '../../model/call.ts'

export interface StoredResponse {
  /** Flat: name, value… content-type first. */
  readonly headers: readonly string[]
  readonly body: Buffer
  /** The body was too long, or cannot be decrypted any more. */
  readonly isTruncated: boolean
}

/** Bytes. */
export const maxBody = 64 * 1024

/** @param body undefined for a stream */
export function toStored(headers: readonly string[], body: ReplyBody | undefined): StoredResponse {
  const bytes = body && !body.file && !body.stream ? body.bytes : undefined
  const isTruncated = bytes === undefined || bytes.length > maxBody
  // Without a body there is nothing of this type
  const isKept = (name: string) => name !== 'set-cookie' && !(isTruncated && name.startsWith('content-'))
  const kept = headers.filter((_, at) => isKept(headers[at & ~1] ?? ''))
  return { headers: kept, body: isTruncated ? nothing : bytes, isTruncated }
}

/** Encrypted with the key, if there is one, and bound to the row. */
export function packResponse(
  { headers, body, isTruncated }: StoredResponse,
  row: string,
  key: SecretKey | undefined,
): Buffer {
  const head = JSON.stringify({ headers, isTruncated })
  const length = Buffer.byteLength(head)
  const bytes = Buffer.allocUnsafeSlow(4 + length + body.length) // not of the pool: it goes to another thread
  bytes.writeUInt32BE(length)
  bytes.write(head, 4)
  body.copy(bytes, 4 + length)
  return key ? Buffer.from(key.seal(purposeOf(row), bytes)) : bytes
}

/** The call was answered, so if the key was lost or replaced, the response is repeated without content. */
export function unpackResponse(packed: Buffer, row: string, key: SecretKey | undefined): StoredResponse {
  try {
    const isPlain = packed[0] === 0 // of the length; encrypted, it begins with the id of the key
    const bytes = isPlain ? packed : requireKey(key).open(purposeOf(row), packed.toString('latin1'))
    const end = 4 + bytes.readUInt32BE()
    return { ...JSON.parse(bytes.toString('utf8', 4, end)), body: bytes.subarray(end) }
  } catch {
    return { headers: [], body: nothing, isTruncated: true }
  }
}

function requireKey(key: SecretKey | undefined): SecretKey {
  if (key) return key
  throw new Error('ig.secretKey is not set')
}

const purposeOf = (row: string) => `idempotency ${row}`

export function replayResponse(status: number, { headers, body, isTruncated }: StoredResponse): OperationResponse {
  return {
    status,
    headers: [...headers, 'ig-idempotent-replay', isTruncated ? 'truncated' : 'true'],
    body: { bytes: body },
    replay: isTruncated ? 'truncated' : 'whole',
  }
}

const nothing = Buffer.alloc(0)
