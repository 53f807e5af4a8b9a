/**
 * The response of `node:http`, which checks and writes each header by itself; here the head of an ordinary reply is
 * checked and written as a whole, with the same bytes (specification 7.1, decisions D-211).
 */
import { type IncomingMessage, ServerResponse } from 'node:http'

/** Of `ServerResponse`: known, but not documented. Where Node no longer calls or reads one, it writes the head itself. */
interface Undocumented {
  _header: string | null
  _headerSent: boolean
  readonly _keepAliveTimeout: number
  readonly _defaultKeepAlive: boolean
  readonly maxRequestsOnConnectionReached: boolean
  readonly shouldKeepAlive: boolean
  _storeHeader(firstLine: string, headers: unknown): void
}

const node = ServerResponse.prototype as unknown as Undocumented

export class Response<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** `writeHead` calls this. Whatever is not ordinary, Node writes or refuses. */
  _storeHeader(this: Undocumented, firstLine: string, headers: unknown): void {
    const head = this.shouldKeepAlive && !this.maxRequestsOnConnectionReached ? writeHeaders(headers) : undefined
    const seconds = Math.floor(this._keepAliveTimeout / 1000)
    if (head === undefined || !(seconds > 0) || !this._defaultKeepAlive) {
      node._storeHeader.call(this, firstLine, headers)
      return
    }
    this._header = `${firstLine}${head}Date: ${writeDate()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`
    this._headerSent = false
  }
}

/** Undefined where the list says more than texts and one length, or has a character that HTTP cannot carry. */
function writeHeaders(headers: unknown): string | undefined {
  if (!Array.isArray(headers) || headers.at(-2) !== 'content-length') return undefined
  let lines = ''
  for (let index = 0; index < headers.length; index += 2) lines += `${headers[index]}: ${headers[index + 1]}\r\n`
  return ordinary(headers.length / 2).test(lines) ? lines : undefined
}

const patterns: RegExp[] = []

/** So many lines and no more: a line break in a value would begin another header. */
function ordinary(lines: number): RegExp {
  patterns[lines] ??= new RegExp(`^(?:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n){${lines}}$`)
  return patterns[lines]
}

let second = 0
let date = ''

function writeDate(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) date = new Date(now * 1000).toUTCString()
  second = now
  return date
}
