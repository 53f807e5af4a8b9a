/**
 * Reads the head of a request, bounded by its own count of bytes, and refuses an ambiguous one (specification 7.5, 7.6).
 * The result does not depend on the pieces in which the head arrives.
 */
import type { Socket } from 'node:net'
import { isHost } from '../base/host.ts'
import type { Limits } from '../settings.ts'
import { type Fields, Headers, readFields } from './fields.ts'
import type { Outcome, Parser } from './llhttp.ts'

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
/** Up to this size, a head over a limit is read to its end, so that the log has its caller. */
function mostBytes({ maxUrlBytes, maxHeaderBytes }: SizeLimits): number {
  return Math.max(128 * 1024, 2 * (maxUrlBytes + maxHeaderBytes))
}

/** What a connection keeps of its last head: part of what it may cost. */
const mostKept = 4 * 1024

/** Before the URL, where the method is, and behind it, where the version is. */
const mostAround = 64

/** What stands behind the URL. Most clients send the same with each request of a connection. */
interface Rest extends Fields, Pick<Request, 'version' | 'keepsAlive' | 'problem'> {
  readonly text: string
}

/** llhttp finds where a head ends and what is not one; what is in it stands in its text. */
export class HeadReader {
  readonly #parser: Parser
  readonly #socket: Socket
  readonly #limits: SizeLimits
  readonly #most: number
  /** Of a head that has not ended, with empty lines before it. */
  #text = ''
  /** Of the request before. */
  #rest: Rest | undefined

  constructor(parser: Parser, socket: Socket, limits: SizeLimits) {
    this.#parser = parser
    this.#socket = socket
    this.#limits = limits
    this.#most = mostBytes(limits)
  }

  get text(): string {
    return this.#text
  }

  /** @returns undefined where it has not come as a whole: then the piece is read to its end, or that of the parser's area */
  read(piece: Buffer, from: number): Request | undefined {
    const parser = this.#parser
    if (this.#text === '') parser.reset()
    const outcome = parser.read(piece, from)
    const text = this.#text + piece.toString('latin1', from, parser.position)
    const isWithin = text.length <= this.#most
    this.#text = outcome === 'paused' ? '' : text
    if (outcome === 'more' && isWithin) return undefined
    if (outcome === 'paused' && isWithin) return this.#build(text)
    const problem = this.#findOversize(text, outcome === 'paused') ?? explain(outcome, parser.reason)
    return unreadable(this.#socket, problem)
  }

  #build(text: string): Request {
    const start = findUrl(text)
    const end = findUrlEnd(text, start)
    const method = text.slice(0, text.indexOf(' ')).trimStart() // empty lines may come before
    const target = text.slice(start, end)
    const rest = this.#readRest(text.slice(end))
    const { headers, version, keepsAlive, length } = rest
    const problem = findOversizeUrl(start, end, this.#limits) ?? rest.problem ?? findMeaningless(method, target)
    return { socket: this.#socket, method, target, headers, version, keepsAlive, length, size: text.length, problem }
  }

  #readRest(text: string): Rest {
    if (text === this.#rest?.text) return this.#rest
    const fields = readFields(text, mostFields)
    const { keepsAlive } = this.#parser
    const version = findVersion(text)
    const problem = findOversizeRest(text, true, this.#limits) ?? findProblem(version, fields)
    const rest = { ...fields, text, version, keepsAlive, problem }
    this.#rest = text.length <= mostKept ? rest : undefined
    return rest
  }

  #findOversize(text: string, isWhole: boolean): FramingProblem | undefined {
    const start = findUrl(text)
    const end = findUrlEnd(text, start)
    return findOversizeUrl(start, end, this.#limits) ?? findOversizeRest(text.slice(end), isWhole, this.#limits)
  }
}

/**
 * The piece with each byte above 127 encoded, up to the end of the request line: UTF-8 in it is read as if it were
 * percent-encoded, before the parser, which refuses it (specification 33.4).
 * @param before what has come of the head
 */
export function encodeLine(before: string, piece: Buffer, from: number): Buffer {
  if (before.trimStart().includes('\n')) return piece
  let start = from
  if (before.trim() === '') while (piece[start] === 0x0d || piece[start] === 0x0a) start += 1 // empty lines may come before
  const end = piece.indexOf('\n', start)
  const line = piece.toString('latin1', start, end < 0 ? piece.length : end)
  if (!highByte.test(line)) return piece
  const encoded = line.replace(highBytes, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  return Buffer.concat([
    piece.subarray(0, start),
    Buffer.from(encoded, 'latin1'),
    ...(end < 0 ? [] : [piece.subarray(end)]),
  ])
}

const highByte = /[\x80-\xff]/
const highBytes = /[\x80-\xff]/g

/** Stands for a request whose head cannot be read. */
export function unreadable(socket: Socket, problem: FramingProblem): Request {
  const headers = new Headers()
  return { socket, method: '', target: '', headers, version: 11, keepsAlive: false, length: 0, size: 0, problem }
}

/** Where it begins, or will. */
function findUrl(text: string): number {
  let at = find(' ', text, 0)
  while (text.charCodeAt(at) === 0x20) at += 1
  return at
}

function findUrlEnd(text: string, start: number): number {
  return Math.min(find(' ', text, start), find('\r', text, start), find('\n', text, start))
}

/** Behind everything where there is none. */
function find(mark: string, text: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at
}

function findOversizeUrl(start: number, end: number, { maxUrlBytes }: SizeLimits): FramingProblem | undefined {
  if (start > mostAround) return malformed('no URL in the request line')
  return end - start > maxUrlBytes ? { fault: 'uriTooLong', reason: 'URL over the limit' } : undefined
}

/** @param isWhole with the empty line at the end */
function findOversizeRest(text: string, isWhole: boolean, { maxHeaderBytes }: SizeLimits): FramingProblem | undefined {
  const fields = text.indexOf('\n') + 1 || text.length
  if (fields > mostAround) return malformed('no version in the request line')
  if (text.length - fields > maxHeaderBytes + (isWhole ? 2 : 1))
    return { fault: 'headersTooLarge', reason: 'headers over the limit' }
  const lines = text.split('\r\n').length - (isWhole ? 3 : 2) // without the request line, and what is behind the last
  return lines > mostFields ? { fault: 'headersTooLarge', reason: `more than ${mostFields} fields` } : undefined
}

/** 11 for HTTP/1.1, 0 where there is none: llhttp takes such a line for one of 0.9, and reads other protocols too. */
function findVersion(text: string): number {
  const [, major, minor] = /^ +HTTP\/(\d)\.(\d)\r\n/.exec(text) ?? []
  return 10 * Number(major ?? 0) + Number(minor ?? 0)
}

function findProblem(version: number, { headers, twice }: Fields): FramingProblem | undefined {
  const { host, 'transfer-encoding': coding } = headers
  if (version === 0) return malformed('no HTTP version')
  if (version !== 11 && version !== 10) return { fault: 'version', reason: `HTTP version ${version / 10}` }
  if (twice !== undefined) return malformed(`duplicate ${twice}`)
  if (coding !== undefined && version === 10) return malformed('Transfer-Encoding in HTTP/1.0')
  if (coding !== undefined && String(coding).toLowerCase() !== 'chunked')
    return malformed('transfer coding other than chunked')
  if (host === undefined) return version === 10 ? undefined : malformed('missing Host')
  return isHost(String(host)) ? undefined : malformed('malformed Host')
}

function findMeaningless(method: string, target: string): FramingProblem | undefined {
  if (method === 'CONNECT') return malformed('CONNECT')
  return target === '*' && method !== 'OPTIONS' ? malformed('* with another method than OPTIONS') : undefined
}

function explain(outcome: Outcome, reason: string): FramingProblem {
  return { fault: outcome === 'version' ? 'version' : 'malformed', reason }
}

function malformed(reason: string): FramingProblem {
  return { fault: 'malformed', reason }
}
