/**
 * The two ends of the pipeline: what came in (`Call`) and what goes out (`Reply`). Neither knows a socket
 * (specification 1, 7).
 */
import type { Readable } from 'node:stream'
import type { MemoryAccount } from './memory-budget.ts'

/** One request, headers read, body not yet. */
export interface Call {
  readonly method: string
  /** The request target exactly as it stood in the request line; bytes above 127 as Latin-1 characters. */
  readonly target: string
  /** Lower-case names, as `node:http` joins them; duplicates of Host and Authorization were refused at the edge. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** True when the request came over the gateway's own TLS listener. */
  readonly isSecure: boolean
  readonly remoteAddress: string
  /** Aborted when the client leaves before the reply is written. */
  readonly signal: AbortSignal
  /** What its reply holds until the client has taken it; undefined where nothing bounds that. */
  readonly memory?: MemoryAccount | undefined
  /**
   * Spools the body (memory, then disk); at once where there is none. Called at most once; the edge closes what was spooled before the reply is sent.
   * Throws `bodyTooLarge`, `bodyMalformed`, and `overloaded` when the gateway stops before all of it has come.
   */
  readBody(): SpooledBody | Promise<SpooledBody>
}

/** A request body that has wholly arrived. `close` removes what was spooled to disk. */
export interface SpooledBody {
  readonly size: number
  /** All bytes at once. */
  bytes(): Promise<Buffer>
  /** The bytes from the start, as often as it is called. */
  stream(): Readable
  /** The same without a stream; each piece is there until the next one is asked for, which may take its place. */
  pieces(): AsyncIterable<Buffer>
  /** Undefined where there is nothing to wait for. */
  close(): Promise<void> | undefined
}

/** The reply as the pipeline leaves it; compression and framing are the edge's. */
export interface Reply {
  readonly status: number
  /** Flat: name, value, name, value… as `writeHead` takes them. Without content-length and content-encoding. */
  readonly headers: readonly string[]
  readonly body: ReplyBody
}

/** What an operation answers, before the wire's own headers join: from the handler, from the cache, or made by the gateway. */
export interface OperationResponse {
  readonly status: number
  /** Flat: name, value… content-type first; no cookie, no platform headers. */
  readonly headers: readonly string[]
  readonly body: ReplyBody
  /** Epoch milliseconds, where the handler enabled caching. */
  readonly cacheExpires?: number
  /** True where `onError` or a 4xx made it: such a response is never cached. */
  readonly isFault?: boolean
}

/** The bytes of a reply. A cached response keeps one `ReplyBody`, so its gzip form is made once. */
export interface ReplyBody {
  /** All of them; none where they are in a file. */
  readonly bytes: Buffer
  /** Too long to be held: it is read while it is sent. */
  readonly file?: ReplyFile
  /** Filled by the edge when it first compresses these bytes. */
  gzip?: Buffer
  /** Of a cached response. */
  keeper?: Keeper
}

/** The place of a body in the REST cache: while it is kept, its bytes stay in memory whatever a client does. */
export interface Keeper {
  isKept: boolean
}

export interface ReplyFile {
  readonly size: number
  /** Its bytes from the start; an error where it has fewer than `size` by then. */
  read(): AsyncIterable<Buffer>
}

export const emptyBody: ReplyBody = Object.freeze({ bytes: Buffer.alloc(0) })
