/** How the replies of one connection reach its client, and what is done where one cannot (specification 4.15, 7.9). */
import type { Socket } from 'node:net'
import type { Call, Reply, ReplyStream } from '../model/call.ts'
import { Refusal } from '../model/refusal.ts'
import { answerAsterisk, type Edge, observeSafely, refuse, refuseFraming } from './edge.ts'
import type { FramingProblem } from './head.ts'
import type { IncomingCall } from './incoming-call.ts'
import { type Ending, formatReply, sendReply } from './reply.ts'
import { Writer } from './writer.ts'

export interface Deliverer extends Pick<Ending, 'goesOn'> {
  /** The reply is on its way, or never will be. */
  next(call: IncomingCall): void
}

export class Delivery implements Ending {
  readonly writer: Writer
  readonly keepAlive: string
  readonly #socket: Socket
  readonly #edge: Edge
  readonly #connection: Deliverer
  /** Some of the reply is written: no other can take its place. */
  #hasBegun = false
  #call: IncomingCall | undefined
  /** Being sent. */
  #stream: ReplyStream | undefined

  constructor(socket: Socket, edge: Edge, connection: Deliverer) {
    this.#socket = socket
    this.#edge = edge
    this.#connection = connection
    this.writer = new Writer(socket, edge.limits)
    const seconds = Math.floor(edge.limits.keepAliveTimeout / 1000)
    this.keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}`
  }

  /** Since it was last asked, some of a reply has been sent, or the client has still to take it. */
  get isSending(): boolean {
    const { isSending } = this.writer
    return this.#hasBegun && isSending
  }

  /** Asked for the head, which is written next. */
  goesOn(keepsAlive: boolean): boolean {
    this.#hasBegun = true
    return this.#connection.goesOn(keepsAlive)
  }

  /** Whatever goes wrong with one connection, the process lives. Waits only for what takes time: decisions D-130. */
  answer(call: IncomingCall): void {
    const { answer, gateway } = this.#edge
    const { problem, target } = call.request
    this.#call = call
    this.#hasBegun = false
    try {
      if (problem) this.#deliver(refuseFraming(problem, call, gateway))
      else if (target === '*') this.#deliver(answerAsterisk(call, gateway))
      else answer(call).then(this.#deliver, this.#refuse)
    } catch (error) {
      this.#cut(call, error)
    }
  }

  /** The last words on a connection, where there is no request. */
  refuse(problem: FramingProblem, unreadable: Call): void {
    const reply = refuseFraming(problem, unreadable, this.#edge.gateway)
    if (this.#socket.writable) this.#socket.write(formatReply(reply))
  }

  cutForMemory(): undefined {
    const message = 'A connection was closed: there is no memory for its request heads (ig.limits.memory).'
    observeSafely(this.#edge.gateway, { kind: 'event', level: 'warning', name: 'connection', message })
    this.#socket.destroy()
  }

  /** The connection is gone. */
  leave(): void {
    this.#stream?.close()
    this.writer.leave()
  }

  /** The client has left, or the grace time of a stop has ended. */
  cutOff(reason: Error): void {
    this.#stream?.close(reason instanceof Refusal ? reason : undefined)
  }

  // One call at a time: bound once, and not for each
  readonly #deliver = (reply: Reply): void => {
    const call = this.#call
    if (!call) return
    try {
      const delivered = this.#deliverTo(call, reply)
      if (delivered) delivered.then(() => this.#connection.next(call)).catch((error) => this.#cut(call, error))
      else this.#connection.next(call)
    } catch (error) {
      this.#cut(call, error)
    }
  }

  readonly #refuse = (error: unknown): void => {
    const call = this.#call
    if (!call) return
    try {
      this.#deliver(refuse(error, call, this.#edge.gateway))
    } catch (failure) {
      this.#cut(call, failure)
    }
  }

  #cut(call: IncomingCall, error: unknown): void {
    call.end()
    const message = 'A connection was closed because a response could not be written.'
    observeSafely(this.#edge.gateway, { kind: 'event', level: 'error', name: 'connection', message, error })
    this.#socket.destroy()
  }

  /** Undefined where nothing is left to wait for. */
  #deliverTo(call: IncomingCall, reply: Reply): Promise<unknown> | undefined {
    const { stream } = reply.body
    if (stream) return this.#deliverStream(reply, stream, call)
    const closing = this.#closeBody(call)
    return closing ? closing.then(() => this.#send(reply, call)) : this.#send(reply, call)
  }

  #closeBody(call: IncomingCall): Promise<unknown> | undefined {
    return call.close()?.catch((error: unknown) => {
      const message = 'The temporary file of a body could not be removed.'
      observeSafely(this.#edge.gateway, { kind: 'event', level: 'error', name: 'spool', message, error })
    })
  }

  /** The handler may read the request's body until its stream has ended. */
  async #deliverStream(reply: Reply, stream: ReplyStream, call: IncomingCall): Promise<void> {
    void stream.ended.then(({ failure }) => failure && this.#hasBegun && this.writer.cut())
    this.#stream = stream
    try {
      await this.#send(reply, call)
    } finally {
      this.#stream = undefined
      stream.close()
      await this.#closeBody(call)
    }
  }

  #send(reply: Reply, call: IncomingCall): Promise<unknown> | undefined {
    if (this.#socket.destroyed) return undefined
    this.#hasBegun = false
    let sending: Promise<unknown> | undefined
    try {
      sending = sendReply(reply, call, this)?.catch((error) => this.#sendInstead(error, call))
    } catch (error) {
      sending = this.#sendInstead(error, call)
    }
    return sending ? sending.then(() => this.#flush(call)) : this.#flush(call)
  }

  /** Of a reply with a header that HTTP cannot carry; the rest of one that has begun has no place. */
  #sendInstead(error: unknown, call: IncomingCall): Promise<unknown> | undefined {
    return this.#hasBegun ? this.#cutOff(error) : sendReply(refuse(error, call, this.#edge.gateway), call, this)
  }

  /** A file that could not be read to its end; or a stream's own failure, or that the client is gone, which others report. */
  #cutOff(error: unknown): undefined {
    if (this.#stream) {
      this.writer.cut()
      return
    }
    this.#socket.destroy()
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }

  /** Undefined where all is on its way. */
  #flush(call: IncomingCall): Promise<unknown> | undefined {
    const { destroyed, writableLength } = this.#socket
    if (destroyed || writableLength === 0) return undefined
    call.memory.hold(writableLength)
    return Promise.resolve(this.writer.taken())
  }
}
