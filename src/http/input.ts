/** What has come over a socket and was not read yet; when that is enough, no more is taken from the system (specification 7.5, 7.8). */
import type { Socket } from 'node:net'

/** Bytes that wait for the call under way, or for the disk: with more, reading stops. */
const heldBytes = 16 * 1024

const nothing = Buffer.alloc(0)

export class Input {
  readonly #socket: Socket
  #pieces: Buffer[] = []
  #isPaused = false
  /** Of the first piece, so much was read. */
  at = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get piece(): Buffer | undefined {
    return this.#pieces[0]
  }

  /** Nothing may have come, and be read: the end of a body, which the parser has seen already. */
  push(piece: Buffer = nothing): void {
    this.#pieces.push(piece)
  }

  /** The first piece, from the place on that was read to. */
  replace(piece: Buffer): Buffer {
    this.#pieces[0] = piece
    return piece
  }

  readTo(at: number): void {
    this.at = at
    if (at < (this.#pieces[0]?.length ?? 0)) return
    this.#pieces.shift()
    this.at = 0
  }

  clear(): void {
    this.#pieces = []
    this.at = 0
  }

  /** After it was read as far as it can be. */
  regulate(): void {
    if (this.#pieces.length === 0) {
      if (this.#isPaused) this.#socket.resume()
      this.#isPaused = false
    } else if (!this.#isPaused && this.#pieces.reduce((sum, { length }) => sum + length, -this.at) >= heldBytes) {
      this.#isPaused = true
      this.#socket.pause()
    }
  }
}
