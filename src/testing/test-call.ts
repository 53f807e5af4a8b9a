/**
 * A call that enters the pipeline without a socket, and its result, including details that callers do not get
 * (specification 11.4).
 */
import { buffer } from 'node:stream/consumers'
import { tooLarge } from '../http/body.ts'
import { openSpool } from '../http/spool.ts'
import { type Call, listHeaders, type Reply, type ReplyBody, type SpooledBody } from '../model/call.ts'
import type { AnsweredCall } from '../model/call-record.ts'
import type { XmlDocument } from '../model/content/xml.ts'
import { parseXml } from '../model/content/xml-reader.ts'
import type { RefusalCode } from '../model/refusal.ts'
import type { TestLogEntry } from '../model/test-log.ts'
import type { Limits } from '../settings.ts'

/** What a call of the testing kit sends besides method and URL. */
export interface TestCallOptions {
  /** The operator whose credentials are sent: as the operation requires, a bearer token, a session token or Basic. */
  readonly as?: string
  /** Headers by name; they replace those of `as` and `json`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body: text, bytes, or chunks of both. */
  readonly body?: string | Buffer | Iterable<string | Buffer> | AsyncIterable<string | Buffer>
  /** Instead of `body`: a value sent as JSON, with the content type `application/json` unless `headers` has another. */
  readonly json?: unknown
  /** Pretends that the call came over the gateway's own TLS listener. */
  readonly isSecure?: boolean
  /** Abort it to disconnect the client. */
  readonly signal?: AbortSignal
}

/** A response, with what the caller does not get. */
export interface TestAnswer {
  /** The status. */
  readonly status: number
  /** Headers by name, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as bytes. */
  readonly bytes: Buffer
  /** The body as UTF-8. */
  readonly text: string
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: as JSON.parse; a test asserts what it is
  json(): any
  /** The body as XML. */
  xml(): XmlDocument
  /** A GUID, as the handler reads it from its context. */
  readonly transactionId: string
  /** Full name and version of the found operation: `ECHO_GET.v1`. */
  readonly operation: string | undefined
  /** The operator that the call ran as, or would have. */
  readonly operator: string | undefined
  /** The REST cache answered, without a run of the handler. */
  readonly isCached: boolean
  /** The first answer to the Idempotency-Key was repeated, without a run of the handler. */
  readonly isReplay: boolean
  /** Why it was refused, as in the log; a caller gets the code at most. */
  readonly refusal: TestRefusal | undefined
  /** Log entries of the handler and the gateway about this call; why it was refused is in `refusal`. */
  readonly log: readonly TestLogEntry[]
}

/** Why a call was refused. */
export interface TestRefusal {
  /** The code, as in the header `ig-refusal`. */
  readonly code: RefusalCode
  /** What the log says. */
  readonly reason: string
  /** What led to it, for example the error that a handler threw. */
  readonly cause: unknown
}

export function makeTestCall(method: string, target: string, options: TestCallOptions, limits: Limits): TestCall {
  const { json, isSecure = false, signal = new AbortController().signal } = options
  const { body = json === undefined ? '' : JSON.stringify(json), headers = {} } = options
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  let spooled: SpooledBody | undefined
  return {
    method,
    target,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...Object.fromEntries(given) },
    isSecure,
    remoteAddress: '127.0.0.1',
    signal,
    readBody: async (limit = Infinity) => {
      const maxBodyBytes = Math.min(limit, limits.maxBodyBytes)
      const spool = openSpool({ memoryBytes: limits.spoolMemoryBytes })
      spooled = spool.body
      const pieces = typeof body === 'string' || Buffer.isBuffer(body) ? [body] : body
      for await (const piece of pieces) {
        const chunk = Buffer.from(piece as string)
        if (spool.body.size + chunk.length > maxBodyBytes) throw tooLarge(maxBodyBytes)
        if (chunk.length > 0) await spool.write(chunk)
      }
      return spool.body
    },
    close: async () => spooled?.close(),
  }
}

export interface TestCall extends Call {
  /** Deletes the spooled body. */
  close(): Promise<void>
}

export function makeAnswer(
  reply: Reply,
  bytes: Buffer,
  answered: AnsweredCall,
  log: readonly TestLogEntry[],
  limits: Limits,
): TestAnswer {
  const { transaction, refusal } = answered
  const text = bytes.toString()
  return {
    status: reply.status,
    headers: readHeaders(reply),
    bytes,
    text,
    json: () => JSON.parse(text),
    xml: () => parseXml(text, limits),
    transactionId: transaction.id,
    operation: transaction.operation?.id,
    operator: transaction.operator?.id,
    isCached: transaction.isCached === true,
    isReplay: reply.replay !== undefined,
    refusal: refusal && { code: refusal.code, reason: refusal.message, cause: refusal.cause },
    log,
  }
}

/** @throws Error of a stream that fails, and if the client disconnects meanwhile */
export async function readReply({ bytes, file, stream }: ReplyBody, { method, signal }: Call): Promise<Buffer> {
  if (method === 'HEAD') return Buffer.alloc(0)
  if (!stream) return file ? buffer(file.read()) : bytes
  const leave = () => stream.close()
  signal.addEventListener('abort', leave)
  try {
    if (signal.aborted) leave()
    const pieces: Buffer[] = []
    for await (const piece of stream.read()) pieces.push(Buffer.from(piece))
    return Buffer.concat(pieces)
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function readHeaders(reply: Reply): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [name, value] of listHeaders(reply)) {
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
  return headers
}
