/**
 * One client connection: its calls are answered one after the other, in the order they came, and it is closed so that
 * the client sees the last reply (specification 4.15, 7.5).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Reply } from '../model/call.ts'
import { unboundedMemory } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import { type Edge, observeSafely, refuse, refuseFraming, unreadableCall } from './edge.ts'
import { explainParserError, findFramingFault, type ParserError } from './framing.ts'
import { HeadMemory, noMemory } from './head-memory.ts'
import { holdReading, resumeReading } from './hold-reading.ts'
import { IncomingCall } from './incoming-call.ts'
import { formatReply, sendReply } from './send-reply.ts'
import { atEndOfTurn } from './turn.ts'
import { cutLate } from './write-large.ts'

/** Calls of one connection that wait for their turn: reading stops at the one number, the connection ends at the other. */
const waiting = { held: 16, most: 4096 }
/** A client that still sends is listened to for so long, in milliseconds, before the connection is cut. */
const linger = { silent: 2_000, total: 30_000 }

/**
 * A client that has closed its sending half may still read, or may be gone: the two look alike until something is
 * written. For so long, in milliseconds, it is taken to wait for its reply.
 */
const halfClosed = 1_000

export class Connection {
  readonly #socket: Socket
  readonly #edge: Edge
  readonly #remoteAddress: string
  readonly #isSecure: boolean
  readonly #heads: HeadMemory
  /** The first is being answered. */
  readonly #calls: IncomingCall[] = []
  /** No further message can be read. */
  #isBroken = false
  /** What is still to be said once all calls are answered. */
  #farewell: Reply | undefined
  #isClosing = false
  #isLeaving = false
  /** The client has gone, or reads no longer than it takes to end the call under way. */
  #isAbandoned = false
  #draining: IncomingMessage | undefined

  constructor(socket: Socket, edge: Edge) {
    this.#socket = socket
    this.#edge = edge
    this.#remoteAddress = socket.remoteAddress ?? ''
    this.#isSecure = socket instanceof TLSSocket
    this.#heads = new HeadMemory(socket, edge.gateway.memory ?? unboundedMemory)
    let leaving: NodeJS.Timeout | undefined
    const leave = () => {
      clearTimeout(leaving)
      this.#isAbandoned = true
      this.abort(new Error('The client left'))
    }
    socket.on('close', leave)
    socket.on('close', () => this.#heads.close())
    socket.on('end', () => {
      leaving = setTimeout(leave, halfClosed)
    })
    // Called by `node:http` after the last reply. Destroying a socket that has unread bytes resets the connection, and
    // a reset takes the reply away from a client that is still sending.
    socket.destroySoon = () => this.#closeGently()
  }

  accept(request: IncomingMessage, response: ServerResponse, mustAsk: boolean): void {
    const isFirst = this.#calls.length === 0
    const headMemory = this.#heads.add(request, isFirst)
    if (headMemory === undefined && !isFirst) return void this.#heads.cut(this.#edge.gateway)
    if (this.#isBroken || this.#isClosing) return
    const { limits } = this.#edge.gateway.settings
    const problem = headMemory === undefined ? noMemory : findFramingFault(request, limits)
    if (problem || this.#calls.length === waiting.most) this.#isBroken = true
    const call = new IncomingCall({
      request,
      response,
      mustAsk,
      problem,
      limits,
      memory: this.#edge.gateway.memory ?? unboundedMemory,
      remoteAddress: this.#remoteAddress,
      isSecure: this.#isSecure,
      headMemory: headMemory ?? 0,
    })
    this.#calls.push(call)
    if (this.#calls.length === 1) atEndOfTurn(() => this.#begin(call))
    else if (this.#calls.length > waiting.held) holdReading(this.#socket)
  }

  /** Looks from time to time at a head that does not end, and at trailers that do not. */
  checkHead(): void {
    const seen = this.#calls.length === 0 ? 0 : this.#calls.at(-1)?.bodySeen
    if (seen !== undefined && !this.#heads.holdPending(seen)) this.#heads.cut(this.#edge.gateway)
  }

  /** What the parser refused: within the body of the newest call, or in place of a further one. */
  refuse(error: ParserError): void {
    // Data behind `Connection: close`, which a reply under way may already have announced, is nothing to answer.
    if (this.#isClosing || this.#isBroken || error.code === 'HPE_CLOSED_CONNECTION') return
    const problem = explainParserError(error, this.#socket.bytesRead)
    const isSilentSoFar = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && this.#socket.bytesRead === 0
    if (!problem || isSilentSoFar || this.#isDraining) {
      this.#socket.destroy()
      return
    }
    this.#isBroken = true
    const newest = this.#calls.at(-1)
    if (newest?.isReceiving) {
      const detail = 'The request body was cut off, or its framing is malformed.'
      newest.failBody(new Refusal('bodyMalformed', problem.reason, { detail }))
      return
    }
    this.#farewell = refuseFraming(problem, unreadableCall(this.#remoteAddress, this.#isSecure), this.#edge.gateway)
    if (this.#calls.length === 0) this.#sayFarewell()
  }

  /** The gateway waits for no further call: an idle connection is closed at once, another after the reply under way. */
  stop(): void {
    if (this.#calls.length > 0 || this.#isClosing) return
    if (this.#isDraining) this.#closeGently()
    else this.#socket.destroy()
  }

  /** No call is under way and none was refused; whether a further one has begun, the parser knows. */
  get isIdle(): boolean {
    const { readableEnded, destroyed, writableLength } = this.#socket
    if (this.#isSecure || this.#calls.length > 0 || this.#isClosing || this.#isBroken || this.#isDraining) return false
    return !readableEnded && !destroyed && writableLength === 0
  }

  /** Those that wait for their turn among them. */
  get callsUnderWay(): number {
    return this.#calls.length
  }

  abort(reason: Error): void {
    for (const call of this.#calls) call.abort(reason)
  }

  /** Whatever goes wrong with one connection, the process lives. Waits only for what takes time: decisions D-130. */
  #begin(call: IncomingCall): void {
    const { gateway, answer } = this.#edge
    const { problem } = call
    if (problem) this.#finish(call, () => refuseFraming(problem, call, gateway))
    else
      answer(call).then(
        (reply) => this.#finish(call, () => reply),
        (error) => this.#finish(call, () => refuse(error, call, gateway)),
      )
  }

  #finish(call: IncomingCall, reply: () => Reply): void {
    try {
      const delivered = this.#deliver(reply(), call)
      if (delivered) delivered.then(() => this.#goOn()).catch((error) => this.#cut(call, error))
      else this.#goOn()
    } catch (error) {
      this.#cut(call, error)
    }
  }

  #cut(call: IncomingCall, error: unknown): void {
    call.end()
    const message = 'A connection was closed because a response could not be written.'
    observeSafely(this.#edge.gateway, { kind: 'event', level: 'error', name: 'connection', message, error })
    this.#socket.destroy()
  }

  /** Undefined where nothing is left to wait for. */
  #deliver(reply: Reply, call: IncomingCall): Promise<void> | undefined {
    const closing = call.close()
    if (!closing) return this.#write(reply, call)
    const onError = (error: unknown) => {
      const message = 'The temporary file of a body could not be removed.'
      observeSafely(this.#edge.gateway, { kind: 'event', level: 'error', name: 'spool', message, error })
    }
    return closing.catch(onError).then(() => this.#write(reply, call))
  }

  #write(reply: Reply, call: IncomingCall): Promise<void> | undefined {
    if (this.#socket.destroyed) return undefined
    const sending = this.#send(reply, call)
    return sending ? sending.then(() => this.#awaitClient(call)) : this.#awaitClient(call)
  }

  /** Undefined where it is written at once. */
  #send(reply: Reply, call: IncomingCall): Promise<void> | undefined {
    const { response } = call
    const isLast = () => (this.#isClosing ||= this.#isLast(call))
    const onError = (error: unknown) => {
      if (response.headersSent) return this.#cutOff(error)
      // A header that HTTP cannot carry.
      return sendReply(refuse(error, call, this.#edge.gateway), call, isLast)
    }
    try {
      return sendReply(reply, call, isLast)?.catch(onError)
    } catch (error) {
      return onError(error)
    }
  }

  #awaitClient(call: IncomingCall): Promise<void> | undefined {
    const { request, response, isReceiving } = call
    if (!this.#isClosing && isReceiving) this.#drain(request)
    if (response.writableFinished || this.#socket.destroyed) return undefined // a file, which was awaited
    const isWritten = this.#socket.writableLength === 0 && response.socket === this.#socket
    return isWritten ? undefined : this.#flush(call)
  }

  /** A file that could not be read to its end; or the client is gone, which is no fault. */
  #cutOff(error: unknown): undefined {
    this.#socket.destroy()
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }

  #isLast(call: IncomingCall): boolean {
    if (this.#edge.isStopping || this.#isAbandoned) return true
    if (this.#isBroken && !this.#farewell && this.#calls.length === 1) return true
    // What came in one packet behind a request to upgrade is thrown away by the parser.
    if (call.request.headers.upgrade !== undefined) return true
    return call.isReceiving && !call.canBeDrained
  }

  /** A reader may be slow, but must not stand still. */
  #flush(call: IncomingCall): Promise<void> {
    const { response } = call
    call.memory.hold(this.#socket.writableLength)
    const end = cutLate(call)
    return new Promise((resolve) => {
      const done = () => {
        end()
        resolve()
      }
      response.prependOnceListener('finish', done)
      response.once('close', done)
    })
  }

  get #isDraining(): boolean {
    return this.#draining !== undefined && !this.#draining.complete
  }

  /** Waits for the rest of a short body that nobody wants, so that the connection can serve the next call. */
  #drain(request: IncomingMessage): void {
    this.#draining = request
    const cut = setTimeout(() => this.#socket.destroy(), linger.silent)
    const done = () => {
      clearTimeout(cut)
      this.#draining = undefined
    }
    request.once('end', done)
    request.once('close', done)
    request.resume()
  }

  #goOn(): void {
    const ended = this.#calls.shift()
    ended?.end()
    this.#heads.release(ended)
    const [next] = this.#calls
    if (this.#isClosing || this.#socket.destroyed) this.#dropWaiting()
    else if (next) this.#begin(next)
    else if (this.#farewell) this.#sayFarewell()
    else if (this.#edge.closesIdle) this.stop()
    if (this.#calls.length <= waiting.held / 2) resumeReading(this.#socket)
  }

  /** Calls that came behind the last one that is answered: none of them has begun. */
  #dropWaiting(): void {
    for (const call of this.#calls.splice(0)) call.abort(new Error('The connection was closed'))
  }

  #sayFarewell(): void {
    if (this.#farewell && this.#socket.writable) this.#socket.write(formatReply(this.#farewell))
    this.#closeGently()
  }

  #closeGently(): void {
    const socket = this.#socket
    this.#isClosing = true
    if (this.#isLeaving) return
    this.#isLeaving = true
    socket.end()
    if (socket.destroyed) return
    resumeReading(socket)
    socket.resume()
    socket.setTimeout(linger.silent)
    const cut = setTimeout(() => socket.destroy(), linger.total)
    socket.once('close', () => clearTimeout(cut))
  }
}
