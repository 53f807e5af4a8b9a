/**
 * The reading half of a connection's socket: parses heads and bodies, and pauses the socket while too many bytes wait
 * (specification 7.5, 7.8).
 */
import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import type { MemoryAccount } from '../model/memory-budget.ts'
import type { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import { type Body, bodyCut } from './body.ts'
import { type Edge, observeSafely } from './edge.ts'
import { encodeLine, findOversize, type Request, readRequest, unreadable } from './head.ts'
import { Parser } from './llhttp.ts'

/** The socket is paused when this many bytes wait for the current call or for the disk. */
const heldBytes = 16 * 1024
/** Heads up to this size are not counted: they are part of the cost of a connection (decisions D-300). */
const smallHead = 4 * 1024
/** Memory of a larger head, for its fields, in addition to twice its bytes. */
const headCost = 16 * 1024

const nothing = Buffer.alloc(0)
const noMemory = { fault: 'overloaded', reason: 'no memory for the head (ig.limits.memory)' } as const

export class Input {
  readonly parser = new Parser()
  readonly #socket: Socket
  readonly #edge: Edge
  readonly #memory: MemoryAccount
  readonly #encodesLine: boolean
  /** The chunk received last, and how much of it was read. */
  #piece: Buffer | undefined
  #at = 0
  /** The received part of an incomplete head, with empty lines before it. */
  #text = ''
  /** Bytes of the head of the current call, or of an incomplete head. */
  #headSize = 0

  constructor(socket: Socket, edge: Edge) {
    this.#socket = socket
    this.#edge = edge
    this.#memory = edge.memory.open()
    this.#encodesLine = edge.gateway.settings.compatibility.rawUrlBytes
  }

  push(piece: Buffer): void {
    this.#piece = this.#piece ? Buffer.concat([this.#piece.subarray(this.#at), piece]) : piece
    this.#at = 0
  }

  /** Part of a head has arrived. Empty lines do not count. */
  get hasBegun(): boolean {
    return this.#text !== '' && /[^\r\n]/.test(this.#text)
  }

  /** @returns undefined while the head is incomplete */
  readHead(): Request | undefined {
    while (this.#piece) {
      const request = this.#parse(this.#piece)
      this.#headSize = request?.size ?? this.#text.length
      const hasMemory = this.#hold(0)
      if (request && !hasMemory) request.problem ??= noMemory
      if (request) return request
      if (!hasMemory) return this.#cutForMemory()
    }
    return undefined
  }

  /** Parses to the end of the head or of the chunk, or until the parser's buffer is full. */
  #parse(received: Buffer): Request | undefined {
    const { parser } = this
    const { limits } = this.#edge
    const piece = this.#encodesLine ? encodeLine(this.#text, received, this.#at) : received
    if (this.#text === '') parser.reset()
    const outcome = parser.read(piece, this.#at)
    const text = this.#text + piece.toString('latin1', this.#at, parser.position)
    this.#piece = piece
    this.#readTo(parser.position)
    const isWithin = text.length <= maxBytes(limits)
    const isIncomplete = outcome === 'more' && isWithin
    this.#text = isIncomplete ? text : ''
    if (isIncomplete) return undefined
    const isWhole = outcome === 'paused'
    if (!isWhole || !isWithin) {
      const fault = outcome === 'version' ? 'version' : 'malformed'
      const reason = parser.reason + proposeSetting(text, piece, parser.position)
      return unreadable(this.#socket, findOversize(text, isWhole, limits) ?? { fault, reason })
    }
    const request = readRequest(text, parser, this.#socket, limits)
    return request
  }

  /** Reads until the body's consumer has enough. @returns why the body cannot be read further */
  readBody(body: Body): Refusal | undefined {
    if (!body.isWanted) return undefined
    do {
      const at = body.read(this.#piece ?? nothing, this.#at) // a body can end without further bytes
      if (typeof at !== 'number') return at
      if (!this.#hold(body.pending)) return this.#cutForMemory()
      this.#readTo(at)
    } while (this.#piece && body.isWanted)
    const isCut = this.#socket.readableEnded && !this.#piece && body.isWanted
    return isCut ? bodyCut('the body was cut off') : undefined
  }

  #readTo(at: number): void {
    this.#at = at
    if (at === this.#piece?.length) this.clear()
  }

  /** @returns false if the memory budget is exhausted */
  #hold(trailers: number): boolean {
    return this.#memory.hold(costOf(this.#headSize) + costOf(trailers))
  }

  #cutForMemory(): undefined {
    const message = 'A connection was closed: there is no memory for its request heads (ig.limits.memory).'
    observeSafely(this.#edge.gateway, { kind: 'event', level: 'warning', name: 'connection', message })
    this.#socket.destroy()
  }

  /** The call is over. */
  forgetHead(): void {
    this.#headSize = 0
    this.#hold(0)
  }

  clear(): void {
    this.#piece = undefined
    this.#at = 0
  }

  /** Pauses or resumes the socket, after everything that can be read was read. */
  regulate(): void {
    if (!this.#piece) {
      if (this.#socket.isPaused()) this.#socket.resume()
    } else if (this.#piece.length - this.#at >= heldBytes) this.#socket.pause()
  }

  /** The connection is gone. */
  close(): void {
    this.clear()
    this.#memory.close()
    this.parser.close()
  }
}

/** A head over a limit is read to its end up to this size, so that the log names its caller. */
function maxBytes({ maxUrlBytes, maxHeaderBytes }: Limits): number {
  return Math.max(128 * 1024, 2 * (maxUrlBytes + maxHeaderBytes))
}

/** For the log, if the refused byte begins UTF-8 in the URL (specification 33.4). */
function proposeSetting(before: string, piece: Buffer, at: number): string {
  const isUrl = (piece[at] ?? 0) > 127 && /^\s*\S+ [^\n]*$/.test(before)
  const end = piece.indexOf('\n', at)
  return isUrl && isUtf8(piece.subarray(at, end < 0 ? piece.length : end))
    ? '; ig.compat.rawUrlBytes=true accepts UTF-8 that is not percent-encoded'
    : ''
}

function costOf(bytes: number): number {
  return bytes <= smallHead ? 0 : 2 * bytes + headCost
}
