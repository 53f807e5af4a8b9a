/** The writing half of a connection's socket: its client may read slowly, but must not stand still (specification 7.6, 7.9). */
import type { Socket } from 'node:net'
import { isEncrypted } from '../base/node-tls.ts'
import type { Limits } from '../settings.ts'

/** Bytes of one write; only their complete acceptance by the socket can be observed. */
export const pieceBytes = 256 * 1024

export class Writer {
  readonly socket: Socket
  /** Passed to the last write of a reply over TLS, which is on its way only later; in plain text nothing calls back. */
  readonly onWritten: (() => void) | undefined
  /** How a reply says that the connection stays open. */
  readonly keepAlive: string
  readonly #responseTimeout: number
  #whenTaken: ((isTaken: boolean) => void) | undefined
  #sent = 0
  /** How often the socket did not accept a write immediately. */
  waits = 0

  constructor(socket: Socket, { responseTimeout, keepAliveTimeout }: Limits) {
    this.socket = socket
    this.onWritten = isEncrypted(socket) ? this.#afterWrite : undefined
    this.#responseTimeout = responseTimeout
    this.keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}`
  }

  /** Since it was last asked, something has been sent, or the client has still to take it. */
  get isSending(): boolean {
    const { bytesWritten, writableLength } = this.socket
    const isSending = writableLength > 0 || bytesWritten > this.#sent
    this.#sent = bytesWritten
    return isSending
  }

  /** Fulfilled when the socket has accepted all writes; false if it never will. The client is disconnected if this exceeds the time limit. */
  taken(isCalledBack = this.onWritten !== undefined): boolean | Promise<boolean> {
    const { destroyed, writableLength } = this.socket
    if (destroyed || writableLength === 0) return !destroyed
    this.waits += 1
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const late = setTimeout(() => this.cut(), this.#responseTimeout)
    this.#whenTaken = (isTaken) => {
      this.#whenTaken = undefined
      clearTimeout(late)
      resolve(isTaken)
    }
    if (!isCalledBack) this.socket.write('', this.#afterWrite) // called back behind all that waits
    return promise
  }

  /** Ends early, without an error, where the connection is gone. */
  async writePieces(pieces: AsyncIterable<Buffer>, isChunked = false): Promise<void> {
    for await (const whole of pieces) {
      for (let at = 0; at < whole.length; at += pieceBytes)
        if (!(await this.#write(whole.subarray(at, at + pieceBytes), isChunked))) return
    }
    if (isChunked) await this.#write(lastChunk, isChunked)
  }

  #write(piece: Buffer, isChunked: boolean): boolean | Promise<boolean> {
    const { socket } = this
    if (socket.destroyed) return false
    if (isChunked) {
      socket.cork() // in one write, and nothing is copied
      socket.write(`${piece.length.toString(16)}\r\n`, 'latin1')
      if (piece.length > 0) socket.write(piece)
      socket.write('\r\n', 'latin1', this.#afterWrite)
      socket.uncork()
    } else socket.write(piece, this.#afterWrite)
    return this.taken(true)
  }

  /** A reset: the client sees that the reply is not whole, and the system would keep megabytes for a client that does not read them. TLS knows none. */
  cut(): void {
    if (this.onWritten) this.socket.destroy()
    else this.socket.resetAndDestroy()
  }

  /** The connection is gone. */
  leave(): void {
    this.#whenTaken?.(false)
  }

  readonly #afterWrite = (): void => {
    if (this.socket.writableLength === 0) this.#whenTaken?.(!this.socket.destroyed)
  }
}

const lastChunk = Buffer.alloc(0)
