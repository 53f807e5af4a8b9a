/** The writing half of a connection's socket: a client may read slowly, but not stop reading (specification 7.6, 7.9). */

import type { Socket } from 'node:net'
import { isEncrypted } from '../base/node-tls.ts'
import { setImmediate, setTimeout } from '../base/timers.ts'
import type { Limits } from '../settings.ts'

/** Bytes of one write. A client must take them within the response timeout: a write shows no partial progress. */
export const pieceBytes = 64 * 1024

export class Writer {
  readonly socket: Socket
  /** Callback of the last write of a reply over TLS, which encrypts later; plain text needs none. */
  readonly onWritten: (() => void) | undefined
  /** How a reply says that the connection stays open. */
  readonly keepAlive: string
  readonly #responseTimeout: number
  #whenTaken: ((isTaken: boolean) => void) | undefined
  #sent = 0

  constructor(socket: Socket, { responseTimeout, keepAliveTimeout }: Limits) {
    this.socket = socket
    this.onWritten = isEncrypted(socket) ? this.#afterWrite : undefined
    this.#responseTimeout = responseTimeout
    this.keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}`
  }

  /** Bytes were sent since the last call of this method, or wait to be sent. */
  hasProgressed(): boolean {
    const { bytesWritten, writableLength } = this.socket
    const hasProgressed = writableLength > 0 || bytesWritten > this.#sent
    this.#sent = bytesWritten
    return hasProgressed
  }

  /** Resolves when the socket has sent all writes; false if it is closed. A client over the response timeout is disconnected. */
  taken(isCalledBack = this.onWritten !== undefined): boolean | Promise<boolean> {
    const { destroyed, writableLength } = this.socket
    if (destroyed || writableLength === 0) return !destroyed
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const late = setTimeout(() => this.reset(), this.#responseTimeout)
    this.#whenTaken = (isTaken) => {
      this.#whenTaken = undefined
      clearTimeout(late)
      resolve(isTaken)
    }
    if (!isCalledBack) this.socket.write('', this.#afterWrite) // its callback comes after the writes before it
    return promise
  }

  /**
   * One piece a turn, so that other calls go on: a socket takes megabytes before its client reads. Ends early, without an
   * error, where the connection is gone.
   */
  async writePieces(pieces: AsyncIterable<Buffer>, isChunked = false): Promise<void> {
    for await (const whole of pieces) {
      for (let at = 0; at < whole.length; at += pieceBytes) {
        await new Promise(setImmediate)
        if (!(await this.#write(whole.subarray(at, at + pieceBytes), isChunked))) return
      }
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

  /** Resets: the client sees an incomplete reply, and the system drops its unread bytes. TLS has no reset. */
  reset(): void {
    if (this.onWritten) this.socket.destroy()
    else this.socket.resetAndDestroy()
  }

  /** The connection is gone. */
  close(): void {
    this.#whenTaken?.(false)
  }

  readonly #afterWrite = (): void => {
    if (this.socket.writableLength === 0) this.#whenTaken?.(!this.socket.destroyed)
  }
}

const lastChunk = Buffer.alloc(0)
