/**
 * The two ends of the pipeline: the request (`Call`) and the response (`Reply`). Neither knows a socket (specification
 * 1, 7).
 */
import type { Readable } from 'node:stream'
import type { ClientCertificate } from './certificate.ts'
import type { MemoryAccount } from './memory-budget.ts'
import type { Refusal } from './refusal.ts'

/** One request: the headers are read, the body is not. */
export interface Call {
  readonly method: string
  /** The request target exactly as in the request line; bytes above 127 as Latin-1 characters. */
  readonly target: string
  /** Lower-case names, as `node:http` joins them; the edge has refused duplicates of Host and Authorization. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** True if the request came over the gateway's own TLS listener, or a trusted proxy says that it came over TLS. */
  readonly isSecure: boolean
  /** Of the caller: of the connection, unless a trusted proxy states another. */
  readonly remoteAddress: string
  /** Address of the trusted proxy that made the connection; undefined without one. */
  readonly proxy?: string | undefined
  /** The client's certificate, checked; or why there is none, for the log. */
  readCertificate?(): ClientCertificate | string
  /** Aborted if the client disconnects before the reply is written. */
  readonly signal: AbortSignal
  /** Memory that the reply uses until the client has received it; undefined if there is no limit. */
  readonly memory?: MemoryAccount | undefined
  /**
   * Spools the body (memory, then disk). Call it at most once; the edge closes the
   * spool before it sends the reply. Throws `bodyTooLarge`, `bodyMalformed`, and `overloaded` if the gateway stops
   * before the body is complete.
   * @param limit bytes, if it is less than that of the gateway
   */
  readBody(limit?: number): Promise<SpooledBody>
  /**
   * The body as it arrives, instead of `readBody`: nothing is spooled, and the client is read at the pace of the reader.
   * Undefined if it is short, or there is none. Absent without a connection. Throws as `readBody` does.
   */
  streamBody?(limit?: number): BodyStream | undefined
  /** Present if the client must know the size of a body beforehand (HTTP/1.0): keeps the whole until the reply is sent. */
  collect?(pieces: AsyncIterable<Buffer>): Promise<ReplyFile>
}

/** A request body that has been received completely. `close` removes its file. */
export interface SpooledBody {
  readonly size: number
  bytes(): Promise<Buffer>
  /** The bytes from the start, at each call. */
  stream(): Readable
  /** The same without a stream; a piece is valid until the next one is requested. */
  pieces(): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** A request body that is still arriving. */
export interface BodyStream {
  /** Size in bytes; undefined if it is not known before the end. */
  readonly size: number | undefined
  /** Once. @throws Refusal if it does not arrive whole, or not in time */
  pieces(): AsyncIterable<Buffer>
}

/** The reply as the pipeline leaves it; the edge compresses and frames it. */
export interface Reply {
  readonly status: number
  /** Flat: name, value, name, value… Its own, without content-length and content-encoding. */
  readonly headers: readonly string[]
  /** Those of every response, as lines of the wire. */
  readonly common?: string | undefined
  readonly body: ReplyBody
  readonly hasFailed?: boolean | undefined
  readonly replay?: OperationResponse['replay']
  readonly isReplayable?: OperationResponse['isReplayable']
}

/** All of them, as they are sent. */
export function listHeaders({
  headers,
  common = '',
}: Pick<Reply, 'headers' | 'common'>): [name: string, value: string][] {
  const own = headers.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : []))
  const lines = common.split('\r\n').slice(0, -1)
  const pairs = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])
  return [...own, ...pairs]
}

export function listRequestHeaders({ headers }: Pick<Call, 'headers'>): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
}

/** The response of an operation, before the headers of every response: from the handler, the cache or the gateway. */
export interface OperationResponse {
  readonly status: number
  /** Flat: name, value… content-type first; no cookie, no platform headers. */
  readonly headers: readonly string[]
  readonly body: ReplyBody
  /** Epoch milliseconds, if the handler enabled caching. */
  readonly cacheExpires?: number
  /** It may become a 304, or a range of its body, if the request asks for that (specification 5.24, 6.13). */
  readonly isConditional?: boolean
  /** Whether the reply is from `onError`: the call failed, whatever the status. */
  readonly hasFailed?: boolean
  /** The stored response to an earlier call with the same Idempotency-Key, with its body or without it. */
  readonly replay?: 'whole' | 'truncated' | undefined
  /** It is stored under its Idempotency-Key, for `replay`. */
  readonly isReplayable?: boolean | undefined
}

/** The bytes of a reply. A cached response keeps one `ReplyBody`, so its gzip form is made once. */
export interface ReplyBody {
  /** The whole content; undefined if it is in a file. */
  readonly bytes: Buffer
  /** The same as a text, if that is short and has only ASCII: the edge sends it as it is. */
  readonly text?: string
  /** A body too large for memory: it is read while it is sent. */
  readonly file?: ReplyFile
  /** What a handler yields while it is sent. */
  readonly stream?: ReplyStream
  /** Never compressed here: another server has chosen its form. */
  readonly isFinal?: boolean
  /** Set by the edge when it first compresses these bytes. */
  gzip?: Buffer
  /** Set by the REST cache. */
  cacheHold?: CacheHold
}

/** Below this, in bytes, a body is never compressed: a packet carries it either way. */
export const worthwhileBytes = 1024

/** A short text of ASCII is sent as it is. */
export function bodyOf(content: string): ReplyBody {
  const isText = content.length < worthwhileBytes && Buffer.byteLength(content) === content.length
  return isText ? new TextBody(content) : { bytes: Buffer.from(content) }
}

/** Its bytes are created on demand: most short replies never need them. */
class TextBody implements ReplyBody {
  readonly text: string
  #bytes: Buffer | undefined

  constructor(text: string) {
    this.text = text
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text, 'latin1')
    return this.#bytes
  }
}

/** A hold of the REST cache: the bytes of the body stay in memory while they are cached. */
export interface CacheHold {
  isHeld: boolean
}

export interface ReplyFile {
  readonly size: number
  /** Its bytes from the start; fails if it has become shorter than `size`. */
  read(): AsyncIterable<Buffer>
}

/** A body that a handler yields while it is sent (specification 5.30). */
export interface ReplyStream {
  /** Size in bytes; undefined if it is not known before the end. */
  readonly size: number | undefined
  /** Call it once. A piece is valid until the next one is requested. @throws Refusal if it fails or exceeds its time */
  read(): AsyncIterable<Buffer>
  /** Ends it early, as when the client has left. @param failure why the gateway ends it */
  close(failure?: Refusal): void
  /** Never rejects. If its time is exceeded, resolves even while its reader still waits for the client. */
  readonly ended: Promise<StreamEnd>
}

export interface StreamEnd {
  /** Bytes that were read. */
  readonly bytes: number
  /** False if the client left before its end. */
  readonly isWhole: boolean
  readonly failure?: Refusal | undefined
}

export const emptyBody: ReplyBody = Object.freeze({ bytes: Buffer.alloc(0) })
