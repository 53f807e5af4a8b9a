/**
 * Reads the head of a request, bounded by its own count of bytes, and refuses an ambiguous one (specification 7.5, 7.6).
 * The result does not depend on the pieces in which the head arrives.
 */
import type { Socket } from 'node:net'
import { isHost } from '../base/host.ts'
import { authorityOf } from '../model/uri/target.ts'
import type { Limits } from '../settings.ts'
import { type Fields, Headers, readFields } from './fields.ts'
import type { Parser } from './llhttp.ts'

export interface Request {
  readonly socket: Socket
  readonly method: string
  readonly target: string
  /** Lower-case names, joined as `node:http` joins them. */
  readonly headers: Headers
  /** 10 or 11. */
  readonly version: number
  /** Whether the client keeps using this connection. */
  readonly keepsAlive: boolean
  /** Length of the body; undefined if it comes in chunks. */
  readonly length: number | undefined
  /** Bytes of the head, as it came. */
  readonly size: number
  /** Why the request is refused before the pipeline sees it. */
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
export const maxFields = 256
export const timedOut: FramingProblem = { fault: 'timedOut', reason: 'head not received in time' }
export const cutHead: FramingProblem = { fault: 'malformed', reason: 'the head was cut off' }
/** Before the URL, where the method is, and behind it, where the version is. */
const maxAround = 64

/** llhttp finds the end of the head and rejects malformed input; the contents are read from the text. */
export function readRequest(text: string, parser: Parser, socket: Socket, limits: SizeLimits): Request {
  const start = findUrl(text)
  const end = findUrlEnd(text, start)
  const method = text.slice(0, text.indexOf(' ')).trimStart() // empty lines may come before
  const target = text.slice(start, end)
  const rest = text.slice(end)
  const fields = readFields(rest, maxFields)
  const { headers, length } = fields
  const version = findVersion(rest)
  const authority = authorityOf(target)
  const problem =
    findOversizeUrl(start, end, limits) ??
    findOversizeRest(rest, true, limits) ??
    findProblem(version, fields) ??
    findMeaningless(method, target, authority)
  if (authority !== undefined) headers.host = authority // it counts, not the field (RFC 9112, 3.2.2)
  return { socket, method, target, headers, version, keepsAlive: parser.keepsAlive, length, size: text.length, problem }
}

/** @param isWhole with the empty line at the end */
export function findOversize(text: string, isWhole: boolean, limits: SizeLimits): FramingProblem | undefined {
  const start = findUrl(text)
  const end = findUrlEnd(text, start)
  return findOversizeUrl(start, end, limits) ?? findOversizeRest(text.slice(end), isWhole, limits)
}

/**
 * Percent-encodes each byte above 127 up to the end of the request line, because the parser refuses UTF-8 in it
 * (specification 33.4).
 * @param before the part of the head received earlier
 */
export function encodeLine(before: string, piece: Buffer, from: number): Buffer {
  if (before.trimStart().includes('\n')) return piece
  let start = from
  if (before.trim() === '') while (piece[start] === 0x0d || piece[start] === 0x0a) start += 1 // empty lines may come before
  const found = piece.indexOf('\n', start)
  const end = found < 0 ? piece.length : found
  const line = piece.toString('latin1', start, end)
  const encoded = line.replace(highBytes, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  if (encoded === line) return piece
  return Buffer.concat([piece.subarray(0, start), Buffer.from(encoded, 'latin1'), piece.subarray(end)])
}

const highBytes = /[\x80-\xff]/g

/** In place of a request whose head cannot be read. */
export function unreadable(socket: Socket, problem: FramingProblem): Request {
  const headers = new Headers()
  return {
    socket,
    method: '',
    target: '',
    headers,
    version: 11,
    keepsAlive: false,
    length: 0,
    size: 0,
    problem,
  }
}

/** Index of the URL, or where it will begin. */
function findUrl(text: string): number {
  let at = find(' ', text, 0)
  while (text.charCodeAt(at) === 0x20) at += 1
  return at
}

function findUrlEnd(text: string, start: number): number {
  return Math.min(find(' ', text, start), find('\r', text, start), find('\n', text, start))
}

/** The length of the text if there is no mark. */
function find(mark: string, text: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at
}

function findOversizeUrl(start: number, end: number, { maxUrlBytes }: SizeLimits): FramingProblem | undefined {
  if (start > maxAround) return malformed('no URL in the request line')
  return end - start > maxUrlBytes ? { fault: 'uriTooLong', reason: 'URL over the limit' } : undefined
}

function findOversizeRest(text: string, isWhole: boolean, { maxHeaderBytes }: SizeLimits): FramingProblem | undefined {
  const fields = text.indexOf('\n') + 1 || text.length
  if (fields > maxAround) return malformed('no version in the request line')
  if (text.length - fields > maxHeaderBytes + (isWhole ? 2 : 1))
    return { fault: 'headersTooLarge', reason: 'headers over the limit' }
  const lines = text.split('\r\n').length - (isWhole ? 3 : 2) // without the request line, and what is behind the last
  return lines > maxFields ? { fault: 'headersTooLarge', reason: `more than ${maxFields} fields` } : undefined
}

/** 11 for HTTP/1.1, 0 if missing: llhttp reads a line without a version as HTTP/0.9, and accepts other protocols. */
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

function findMeaningless(method: string, target: string, authority: string | undefined): FramingProblem | undefined {
  if (method === 'CONNECT') return malformed('CONNECT')
  if (authority !== undefined && !isHost(authority)) return malformed('malformed Host in the URL')
  return target === '*' && method !== 'OPTIONS' ? malformed('* with another method than OPTIONS') : undefined
}

function malformed(reason: string): FramingProblem {
  return { fault: 'malformed', reason }
}
