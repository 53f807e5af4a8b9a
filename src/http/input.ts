/**
 * The reading half of a connection's socket: what has come is read as far as it is wanted, and when enough of it waits, no more is
 * taken from the system (specification 7.5, 7.8).
 */
import type { Socket } from 'node:net'
import type { MemoryAccount } from '../model/memory-budget.ts'
import type { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import { type Body, bodyCut } from './body.ts'
import { type Edge, observeSafely } from './edge.ts'
import { encodeLine, findOversize, type Request, readRequest, unreadable } from './head.ts'
import { Parser } from './llhttp.ts'

/** Bytes that wait for the call under way, or for the disk: with more, reading stops. */
const heldBytes = 16 * 1024
/** Heads up to this size are not counted. */
const smallHead = 4 * 1024
/** Besides twice its bytes: the fields. */
const headCost = 16 * 1024

/** The last head is kept up to this size: part of what a connection may cost. */
const mostKept = 4 * 1024

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
  /** Of a head that has not ended, with empty lines before it. */
  #text = ''
  /** The request before. */
  #before: Request | undefined
  /** Bytes of the head of the call, or of one that arrives. */
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

  /** A head is on its way. Empty lines are none. */
  get hasBegun(): boolean {
    return this.#text !== '' && /[^\r\n]/.test(this.#text)
  }

  /** @returns undefined where it has not come as a whole */
  readHead(): Request | undefined {
    while (this.#piece) {
      const request = this.#readOn(this.#piece)
      this.#headSize = request?.size ?? this.#text.length
      const hasMemory = this.#hold(0)
      if (request && !hasMemory) request.problem ??= noMemory
      if (request) return request
      if (!hasMemory) return this.#cutForMemory()
    }
    return undefined
  }

  /** Where the head continues, up to the end of the chunk or of the parser's buffer. */
  #readOn(received: Buffer): Request | undefined {
    const { parser } = this
    const { limits } = this.#edge
    const piece = this.#encodesLine ? encodeLine(this.#text, received, this.#at) : received
    if (this.#text === '') parser.reset()
    const outcome = parser.read(piece, this.#at)
    const text = this.#text + piece.toString('latin1', this.#at, parser.position)
    this.#piece = piece
    this.#readTo(parser.position)
    const isWithin = text.length <= mostBytes(limits)
    const goesOn = outcome === 'more' && isWithin
    this.#text = goesOn ? text : ''
    if (goesOn) return undefined
    const isWhole = outcome === 'paused'
    if (!isWhole || !isWithin) {
      const fault = outcome === 'version' ? 'version' : 'malformed'
      return unreadable(this.#socket, findOversize(text, isWhole, limits) ?? { fault, reason: parser.reason })
    }
    const request = readRequest(text, parser, this.#socket, limits, this.#before)
    this.#before = text.length <= mostKept ? request : undefined
    return request
  }

  /** As far as it is wanted. @returns why it cannot be read on */
  readBody(body: Body): Refusal | undefined {
    if (!body.isWanted) return undefined
    do {
      const at = body.read(this.#piece ?? nothing, this.#at) // of its end, nothing may be left to come
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

  /** Small heads are part of what a connection may cost (decisions D-306). */
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

  /** After it was read as far as it can be. */
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

/** Up to this size, a head over a limit is read to its end, so that the log has its caller. */
function mostBytes({ maxUrlBytes, maxHeaderBytes }: Limits): number {
  return Math.max(128 * 1024, 2 * (maxUrlBytes + maxHeaderBytes))
}

function costOf(bytes: number): number {
  return bytes <= smallHead ? 0 : 2 * bytes + headCost
}
