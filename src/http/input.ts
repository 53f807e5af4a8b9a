/** What has come over a socket and was not read yet; when that is enough, no more is taken from the system (specification 7.5, 7.8). */
import type { Socket } from 'node:net'

/** Bytes that wait for the call under way, or for the disk: with more, reading stops. */
const heldBytes = 16 * 1024

const nothing = Buffer.alloc(0)

export class Input {
  readonly #socket: Socket
  /** The first, of which so much was read; and those behind it. */
  piece: Buffer | undefined
  at = 0
  #more: Buffer[] = []
  #isPaused = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Nothing may have come, and be read: the end of a body, which the parser has seen already. */
  push(piece: Buffer = nothing): void {
    if (this.piece) this.#more.push(piece)
    else this.piece = piece
  }

  /** The first piece, from the place on that was read to. */
  replace(piece: Buffer): Buffer {
    this.piece = piece
    return piece
  }

  readTo(at: number): void {
    this.at = at
    if (!this.piece || at < this.piece.length) return
    this.piece = this.#more.shift()
    this.at = 0
  }

  clear(): void {
    this.piece = undefined
    this.#more = []
    this.at = 0
  }

  /** After it was read as far as it can be. */
  regulate(): void {
    if (!this.piece) {
      if (this.#isPaused) this.#socket.resume()
      this.#isPaused = false
    } else if (!this.#isPaused && this.#held(this.piece) >= heldBytes) {
      this.#isPaused = true
      this.#socket.pause()
    }
  }
  #held(first: Buffer): number {
    return this.#more.reduce((sum, { length }) => sum + length, first.length - this.at)
  }
}
