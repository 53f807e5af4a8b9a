/**
 * What the heads of one connection hold of the memory budget: those of calls under way, of calls that wait for their turn,
 * and one that arrives slowly, trailers too (specification 7.8, decisions D-306). A small head of the only call is not counted.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { MemoryAccount, MemoryBudget } from '../model/memory-budget.ts'
import { type EdgeGateway, observeSafely } from './edge.ts'
import { hasBody } from './read-body.ts'

/** Heads up to this size are not counted, unless they wait behind others. */
const smallHead = 4 * 1024
/** Besides twice its bytes: the fields, and what `node:http` makes for each call. */
const callCost = 16 * 1024
/** Of a small call that waits: what `node:http` makes for it. */
const smallCallCost = 4 * 1024
/** At most so much of the next message is read together with a head. */
const readAhead = 64 * 1024

/** Why a call is refused for whose head there is none. */
export const noMemory = { fault: 'overloaded', reason: 'no memory for the head (ig.limits.memory)' } as const

interface CountedCall {
  readonly request: IncomingMessage
  /** As `add` returned it. */
  readonly headMemory: number
}

export class HeadMemory {
  readonly #socket: Socket
  readonly #budget: MemoryBudget
  #account: MemoryAccount | undefined
  /** Of heads that are whole, and of the one that is not. */
  #held = 0
  #pending = 0
  /** Bytes of the connection that belong to heads that are whole, and to their bodies. */
  #seen = 0

  constructor(socket: Socket, budget: MemoryBudget) {
    this.#socket = socket
    this.#budget = budget
  }

  /** @returns what `release` gives back; undefined where there is no memory for it */
  add(request: IncomingMessage, isFirst: boolean): number | undefined {
    const { bytesRead } = this.#socket
    if (isFirst && bytesRead - this.#seen <= smallHead) {
      this.#seen = bytesRead
      if (this.#pending > 0) this.#hold(this.#held, 0)
      return 0
    }
    const size = sizeOf(request)
    this.#seen = Math.max(this.#seen + size, bytesRead - readAhead)
    const cost = 2 * size + (size <= smallHead ? smallCallCost : callCost)
    if (isFirst && size <= smallHead) return this.#hold(this.#held, 0) ? 0 : undefined
    return this.#hold(this.#held + cost, 0) ? cost : undefined
  }

  /** Its body has come too, and belongs to no head. */
  release(call: CountedCall | undefined): void {
    if (!call) return
    if (hasBody(call.request)) this.#seen = this.#socket.bytesRead
    if (call.headMemory > 0) this.#hold(this.#held - call.headMemory, this.#pending)
  }

  /**
   * Looked at from time to time while no call is under way, or the body of the newest one is read.
   * @param seen bytes of the connection that belong to no further head, nor to trailers
   * @returns false where there is no memory for what has come
   */
  holdPending(seen: number): boolean {
    this.#seen = Math.max(this.#seen, seen)
    const bytes = this.#socket.bytesRead - this.#seen
    const pending = bytes <= smallHead ? 0 : 2 * bytes + callCost
    return pending === this.#pending || this.#hold(this.#held, pending)
  }

  /** For want of memory. */
  cut(gateway: Pick<EdgeGateway, 'observe'>): void {
    const message = 'A connection was closed: there is no memory for its request heads (ig.limits.memory).'
    observeSafely(gateway, { kind: 'event', level: 'warning', name: 'connection', message })
    this.#socket.destroy()
  }

  /** Nothing is held from here on. */
  close(): void {
    this.#account ??= this.#budget.open()
    this.#account.close()
  }

  #hold(held: number, pending: number): boolean {
    this.#account ??= this.#budget.open()
    if (!this.#account.hold(held + pending)) return false
    this.#held = held
    this.#pending = pending
    return true
  }
}

/** As it stood on the wire. */
function sizeOf({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  let size = method.length + url.length + 14
  for (const text of rawHeaders) size += text.length + 2
  return size
}
