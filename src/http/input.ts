/**
 * The reading half of a connection's socket: what has come is read as far as it is wanted, and when enough of it waits, no more is
 * taken from the system (specification 7.5, 7.8).
 */
import type { Socket } from 'node:net'
import type { MemoryAccount } from '../model/memory-budget.ts'
import type { Refusal } from '../model/refusal.ts'
import { type Body, bodyCut } from './body.ts'
import { type Edge, observeSafely } from './edge.ts'
import { encodeLine, HeadReader, type Request } from './head.ts'
import { Parser } from './llhttp.ts'

/** Bytes that wait for the call under way, or for the disk: with more, reading stops. */
const heldBytes = 16 * 1024
/** Heads up to this size are not counted. */
const smallHead = 4 * 1024
/** Besides twice its bytes: the fields. */
const headCost = 16 * 1024

const nothing = Buffer.alloc(0)
const noMemory = { fault: 'overloaded', reason: 'no memory for the head (ig.limits.memory)' } as const

export class Input {
  readonly parser = new Parser()
  readonly #socket: Socket
  readonly #edge: Edge
  readonly #head: HeadReader
  readonly #memory: MemoryAccount
  readonly #encodesLine: boolean
  /** The first, of which so much was read; and those behind it. */
  #piece: Buffer | undefined
  #at = 0
  #more: Buffer[] = []
  #isPaused = false
  /** Bytes of the head of the call, or of one that arrives. */
  #headSize = 0

  constructor(socket: Socket, edge: Edge) {
    this.#socket = socket
    this.#edge = edge
    this.#head = new HeadReader(this.parser, socket, edge.limits)
    this.#memory = edge.memory.open()
    this.#encodesLine = edge.gateway.settings.compatibility.rawUrlBytes
  }

  push(piece: Buffer): void {
    if (this.#piece) this.#more.push(piece)
    else this.#piece = piece
  }

  /** Something can be read, though nothing has come: the end of a body, which the parser has seen already. */
  wake(): void {
    this.#piece ??= nothing
  }

  /** A head is on its way. Empty lines are none. */
  get hasBegun(): boolean {
    return /[^\r\n]/.test(this.#head.text)
  }

  /** @returns undefined where it has not come as a whole */
  readHead(): Request | undefined {
    const head = this.#head
    while (this.#piece) {
      if (this.#encodesLine) this.#piece = encodeLine(head.text, this.#piece, this.#at)
      const request = head.read(this.#piece, this.#at)
      this.#readTo(this.parser.position)
      this.#headSize = request?.size ?? head.text.length
      const hasMemory = this.#hold(0)
      if (request && !hasMemory) request.problem ??= noMemory
      if (request) return request
      if (!hasMemory) return this.#cutForMemory()
    }
    return undefined
  }

  /** As far as it is wanted. @returns why it cannot be read on */
  readBody(body: Body): Refusal | undefined {
    while (this.#piece && body.isWanted) {
      const at = body.read(this.#piece, this.#at)
      if (typeof at !== 'number') return at
      if (!this.#hold(body.pending)) return this.#cutForMemory()
      this.#readTo(at)
    }
    const isCut = this.#socket.readableEnded && !this.#piece && body.isWanted
    return isCut ? bodyCut('the body was cut off') : undefined
  }

  #readTo(at: number): void {
    this.#at = at
    if (!this.#piece || at < this.#piece.length) return
    this.#piece = this.#more.shift()
    this.#at = 0
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
    this.#more = []
    this.#at = 0
  }

  /** After it was read as far as it can be. */
  regulate(): void {
    if (!this.#piece) {
      if (this.#isPaused) this.#socket.resume()
      this.#isPaused = false
    } else if (!this.#isPaused && this.#held(this.#piece) >= heldBytes) {
      this.#isPaused = true
      this.#socket.pause()
    }
  }

  #held(first: Buffer): number {
    return this.#more.reduce((sum, { length }) => sum + length, first.length - this.#at)
  }

  /** The connection is gone. */
  close(): void {
    this.clear()
    this.#memory.close()
    this.parser.close()
  }
}

function costOf(bytes: number): number {
  return bytes <= smallHead ? 0 : 2 * bytes + headCost
}
