/**
 * Reads the head of a request, bounded by its own count of bytes, and refuses an ambiguous one (specification 7.5, 7.6).
 * The result does not depend on the pieces in which the head arrives.
 */
import type { Socket } from 'node:net'
import { isHost } from '../base/host.ts'
import type { Limits } from '../settings.ts'
import { type Fields, type Headers, readFields } from './fields.ts'
import { Findings, type Parser } from './llhttp.ts'

export interface Request {
  readonly socket: Socket
  readonly method: string
  readonly target: string
  /** Lower-case names, joined as `node:http` joins them. */
  readonly headers: Headers
  /** 10 or 11. */
  readonly version: number
  /** Whether the client goes on with this connection. */
  readonly keepsAlive: boolean
  /** Of its body; undefined: in chunks. */
  readonly length: number | undefined
  /** Bytes of the head, as it came. */
  readonly size: number
  /** It is refused before the pipeline sees it. */
  problem: FramingProblem | undefined
}

export type FramingFault = 'malformed' | 'version' | 'uriTooLong' | 'headersTooLarge' | 'timedOut' | 'overloaded'

export interface FramingProblem {
  readonly fault: FramingFault
  /** For the log. */
  readonly reason: string
}

type SizeLimits = Pick<Limits, 'maxUrlBytes' | 'maxHeaderBytes'>

/** Fields of one head: each costs many times its bytes. */
export const mostFields = 256
export const timedOut: FramingProblem = { fault: 'timedOut', reason: 'head not received in time' }
export const cutHead: FramingProblem = { fault: 'malformed', reason: 'the head was cut off' }
const tooLong: FramingProblem = { fault: 'headersTooLarge', reason: 'head over what is read of one' }
/** Up to this size, a head over a limit is read to its end, so that the log has its caller. */
function mostBytes({ maxUrlBytes, maxHeaderBytes }: SizeLimits): number {
  return Math.max(128 * 1024, 2 * (maxUrlBytes + maxHeaderBytes))
}

/** Bytes of fields that a connection keeps: part of what it may cost. */
const mostKept = 1024

/** Before the URL, where the method is, and behind it, where the version is. */
const mostAround = 64

export class HeadReader extends Findings {
  readonly #parser: Parser
  readonly #socket: Socket
  readonly #limits: SizeLimits
  readonly #most: number
  /** Of earlier pieces. */
  #text = ''
  /** From a place in the piece to one in the head. */
  #shift = 0
  #urlStart = -1
  #urlEnd = -1
  /** Start and end of name, value, name, value… */
  #spans: number[] = []
  #count = 0
  #isInName = false
  #keepsAlive = false
  /** Of the request before, with the text behind its URL. */
  #fields: (Fields & { readonly text: string }) | undefined
  /** Some of a head has come; empty lines are none. */
  hasBegun = false
  request: Request | undefined
  problem: FramingProblem | undefined

  constructor(parser: Parser, socket: Socket, limits: SizeLimits) {
    super()
    this.#parser = parser
    this.#socket = socket
    this.#limits = limits
    this.#most = mostBytes(limits)
  }

  /** Of a head that has not ended, with empty lines before it. */
  get text(): string {
    return this.#text
  }

  /** Bytes of it. */
  get pending(): number {
    return this.#text.length
  }

  /** @returns where it stopped: behind the head, where `request` is set, or at the end of the piece; or there is a `problem` */
  read(piece: Buffer, from: number): number {
    const parser = this.#parser
    this.#shift = this.#text.length - from
    const outcome = parser.read(piece, from, this)
    const { position } = parser
    const text = this.#text + piece.toString('latin1', from, position)
    if (outcome === 'paused' && text.length <= this.#most) {
      this.request = this.#build(text)
      this.#clear()
    } else if (outcome === 'paused') this.problem = this.#findOversize(text.length, 0) ?? tooLong
    else {
      if (outcome !== 'more') this.#findStarts(text)
      this.#text = text
      if (outcome !== 'more') this.problem = this.#findOversize(text.length, 1) ?? explain(outcome, parser.reason)
      else if (text.length > this.#most) this.problem = this.#findOversize(text.length, 1) ?? tooLong
    }
    return position
  }

  override onBegin(): void {
    this.hasBegun = true
  }

  override onUrl(start: number, end: number): void {
    if (this.#urlEnd < 0) this.#urlStart = start + this.#shift
    this.#urlEnd = end + this.#shift
  }

  override onName(start: number, end: number): void {
    const spans = this.#spans
    if (!this.#isInName) spans[this.#count++] = start + this.#shift
    else this.#count--
    spans[this.#count++] = end + this.#shift
    this.#isInName = true
  }

  override onValue(start: number, end: number): void {
    const spans = this.#spans
    if (this.#isInName) spans[this.#count++] = start + this.#shift
    else this.#count--
    spans[this.#count++] = end + this.#shift
    this.#isInName = false
  }

  override onHead(keepsAlive: boolean): void {
    this.#keepsAlive = keepsAlive
  }

  #clear(): void {
    if (this.#count > 4 * mostFields) this.#spans = []
    this.#text = ''
    this.hasBegun = false
    this.#urlStart = this.#urlEnd = -1
    this.#count = 0
    this.#isInName = false
  }

  /** llhttp does not report what it was reading when it refuses. */
  #findStarts(text: string): void {
    if (this.#urlStart < 0) this.#urlStart = /^[\r\n]*[^ \r\n]+ +(?=[^ ])/.exec(text)?.[0].length ?? -1
    if (this.#urlStart < 0 || this.#count > 0) return
    const length = text.slice(this.#urlStart).search(/[ \r\n]/)
    this.#urlEnd = length < 0 ? text.length : this.#urlStart + length
    const fields = text.indexOf('\n', this.#urlEnd) + 1
    if (fields > 0) this.#spans[0] = fields
    if (fields > 0) this.#count = 1
  }

  /** @param open of the empty line at the end, what is not counted as it has not come */
  #findOversize(size: number, open: 0 | 1): FramingProblem | undefined {
    const { maxUrlBytes, maxHeaderBytes } = this.#limits
    const fieldsStart = this.#count > 0 ? (this.#spans[0] ?? 0) : size
    if ((this.#urlStart < 0 ? size : this.#urlStart) > mostAround) return malformed('no URL in the request line')
    if (this.#urlEnd - this.#urlStart > maxUrlBytes) return { fault: 'uriTooLong', reason: 'URL over the limit' }
    if (this.#urlEnd >= 0 && fieldsStart - this.#urlEnd > mostAround) return malformed('no version in the request line')
    if (size - fieldsStart > maxHeaderBytes + 2 - open)
      return { fault: 'headersTooLarge', reason: 'headers over the limit' }
    const isWithin = open && (this.#count % 4 !== 0 || size < (this.#spans[this.#count - 1] ?? 0) + 2)
    const lines = Math.ceil(this.#count / 4) - (isWithin ? 1 : 0)
    if (lines > mostFields) return { fault: 'headersTooLarge', reason: `more than ${mostFields} fields` }
    return undefined
  }

  #build(text: string): Request {
    const { method, version } = this.#parser
    const target = text.slice(this.#urlStart, this.#urlEnd)
    const { headers, length, twice } = this.#readFields(text)
    const unreadable = this.#findOversize(text.length, 0) ?? findOtherProtocol(version, text, this.#urlEnd)
    const problem = unreadable ?? (twice === undefined ? undefined : malformed(`duplicate ${twice}`))
    return {
      socket: this.#socket,
      method,
      target,
      headers,
      version,
      keepsAlive: this.#keepsAlive,
      length,
      size: text.length,
      problem: problem ?? findMeaningless(method, target, version, headers),
    }
  }

  /** Most clients send the same ones with each request of a connection. */
  #readFields(text: string): Fields {
    const behindUrl = text.slice(this.#urlEnd)
    if (behindUrl === this.#fields?.text) return this.#fields
    const fields = { text: behindUrl, ...readFields(text, this.#spans, Math.min(this.#count, 4 * mostFields)) }
    this.#fields = behindUrl.length <= mostKept ? fields : undefined
    return fields
  }
}

/** llhttp reads versions 0.9 and 2.0, other protocols too, and takes a line without version for one of 0.9. */
function findOtherProtocol(version: number, text: string, urlEnd: number): FramingProblem | undefined {
  const isHttp = text.charCodeAt(urlEnd + 1) === 0x48 || /^ +HTTP/.test(text.slice(urlEnd))
  if (!isHttp) return malformed('no HTTP version')
  return version === 11 || version === 10 ? undefined : { fault: 'version', reason: `HTTP version ${version / 10}` }
}

function findMeaningless(
  method: string,
  target: string,
  version: number,
  { host, 'transfer-encoding': coding }: Headers,
): FramingProblem | undefined {
  if (method === 'CONNECT') return malformed('CONNECT')
  if (target === '*' && method !== 'OPTIONS') return malformed('* with another method than OPTIONS')
  if (coding !== undefined && version === 10) return malformed('Transfer-Encoding in HTTP/1.0')
  if (coding !== undefined && String(coding).toLowerCase() !== 'chunked')
    return malformed('transfer coding other than chunked')
  if (host === undefined) return version === 10 ? undefined : malformed('missing Host')
  return isKnownHost(String(host)) ? undefined : malformed('malformed Host')
}

let lastHost = ''

/** Most requests name the same one. */
function isKnownHost(text: string): boolean {
  if (text === lastHost && text !== '') return true
  const isOne = isHost(text)
  if (isOne) lastHost = text
  return isOne
}

function explain(outcome: 'version' | 'malformed', reason: string): FramingProblem {
  return { fault: outcome, reason }
}

export function malformed(reason: string): FramingProblem {
  return { fault: 'malformed', reason }
}
