/**
 * Reads the body and creates the request message (specification 5.10). The caller of this function closes the message.
 */
import { Readable } from 'node:stream'
import type { Call, SpooledBody } from '../model/call.ts'
import { SpooledRequest } from '../model/content/request-message.ts'
import { wantsBodies } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import { Refusal } from '../model/refusal.ts'
import type { Transaction } from '../model/transaction.ts'
import type { Target } from '../model/uri/target.ts'
import type { UriDocument } from '../model/uri/uri-document.ts'
import type { Settings } from '../settings.ts'

export async function readMessage(
  call: Call,
  target: Target,
  operation: Operation,
  uri: UriDocument,
  { id: transactionId }: Transaction,
  { settings }: { readonly settings: Settings },
): Promise<SpooledRequest> {
  const { limits, platformName } = settings
  const makeMessage = (body: SpooledBody) =>
    new SpooledRequest({ call, target, operation, uri, transactionId, body, limits, platformName })
  if (operation.forwards) return makeMessage(unreadBody)
  requireIdentity(call)
  const body = await call.readBody(operation.bodyLimit)
  const message = makeMessage(body)
  if (body.size > 0 && wantsBodies(settings.log.level, operation)) await logFirst(body, message)
  return message
}

/** The handler reads it from the call, as it passes it on. */
const unreadBody = wholeBody(Buffer.alloc(0))

/** A body in memory. */
export function wholeBody(bytes: Buffer): SpooledBody {
  const pieces = bytes.length > 0 ? [bytes] : []
  return {
    size: bytes.length,
    bytes: async () => bytes,
    stream: () => Readable.from(pieces, { objectMode: false }),
    async *pieces() {
      yield* pieces
    },
    close: async () => {},
  }
}

/** Compressed bodies are not decompressed: a few kilobytes of gzip can become gigabytes. */
function requireIdentity({ headers }: Call): void {
  const encoding = String(headers['content-encoding'] ?? '').trim()
  if (encoding === '' || encoding.toLowerCase() === 'identity') return
  const detail = `The content encoding ${JSON.stringify(encoding.slice(0, 64))} is not supported; send the body as it is.`
  throw new Refusal('contentUnsupported', 'content encoding of the body', { detail })
}

async function logFirst(body: SpooledBody, message: SpooledRequest): Promise<void> {
  for await (const chunk of body.stream()) if (!message.logBody(chunk)) break
}
