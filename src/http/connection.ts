/** One client connection: its requests are read, answered and written one after the other (specification 4.15, 7.5, 7.9). */
import type { Socket } from 'node:net'
import { setImmediate } from '../base/timers.ts'
import type { Arrival } from '../model/arrival.ts'
import type { Reply, ReplyStream } from '../model/call.ts'
import { Body } from './body.ts'
import { dispatch, type Edge, observeSafely, refuse } from './edge.ts'
import { cutHead, type FramingProblem, type Request, timedOut, unreadable } from './head.ts'
import { type CallConnection, IncomingCall } from './incoming-call.ts'
import { Input } from './input.ts'
import { Peer } from './peer.ts'
import { sendReply } from './reply.ts'
import { type Action, halfClosed, lingerIdle, lingerTotal, type State, states } from './states.ts'
import { atEndOfTurn, type DeferredWork } from './turn.ts'
import { Writer } from './writer.ts'

export class Connection implements DeferredWork, CallConnection {
  readonly edge: Edge
  readonly peer: Peer
  readonly writer: Writer
  readonly #socket: Socket
  readonly #input: Input
  #state: State = 'fresh'
  #deadline: number
  #lingerEnd = Number.POSITIVE_INFINITY
  #call: IncomingCall | undefined
  #body: Body | undefined
  /** The next reply is the last: the gateway stops, the rest of the input cannot be parsed, or the client is gone. */
  #isLast = false
  /** A reply with `Connection: close` has begun. */
  #isClosing = false

  /** @param statedArrival by the PROXY protocol */
  constructor(socket: Socket, edge: Edge, statedArrival?: Arrival) {
    this.writer = new Writer(socket, edge.limits)
    this.#socket = socket
    this.edge = edge
    this.peer = new Peer(socket, edge.gateway.settings.proxies, edge.authorities, statedArrival)
    this.#input = new Input(socket, edge)
    this.#deadline = edge.clock.after(states.fresh.timeout(edge.limits))
    socket.on('data', (piece: Buffer) => this.#onData(piece))
    socket.on('end', () => this.#onEnd())
    socket.on('error', () => {}) // 'close' follows
    socket.on('close', () => this.#onClose())
  }

  /** No call is running, and no byte of a next one has arrived. */
  get isIdle(): boolean {
    const { destroyed, readableEnded, writableLength } = this.#socket
    const isBetween = this.#state === 'fresh' || this.#state === 'idle'
    return isBetween && this.peer.isPortable && !readableEnded && !destroyed && writableLength === 0
  }

  get isAtWork(): boolean {
    return this.#call !== undefined
  }

  /**
   * Accepts no further call: a connection without a whole head is closed immediately, any other after the next reply.
   * @param endsFirst also closes a connection whose first request has not arrived completely. If false, a connection
   * without a request yet stays open for `ig.limits.shutdownIdle`
   */
  stop(endsFirst = true): void {
    const { clock, limits } = this.edge
    this.#isLast = true
    const isFirst = this.#state === 'fresh' || this.#state === 'head'
    if (endsFirst || !isFirst) this.#act(states[this.#state].onStop)
    else if (this.#state === 'fresh') this.#deadline = Math.min(this.#deadline, clock.after(limits.shutdownIdle))
  }

  abort(reason: Error): void {
    this.#call?.abort(reason)
  }

  /** At each turn of the clock. */
  checkTime(): void {
    const { clock } = this.edge
    // In a later turn: bytes that arrived while the process was busy are read first and move the deadline
    if (clock.isPast(this.#deadline))
      setImmediate(() => clock.isPast(this.#deadline) && this.#act(states[this.#state].onTimeout, timedOut))
  }

  #enter(state: State): void {
    const { clock, limits } = this.edge
    this.#state = state
    const timeout = state === 'call' && this.#socket.readableEnded ? halfClosed : states[state].timeout(limits)
    this.#deadline = clock.after(timeout)
  }

  #act(action: Action, problem?: FramingProblem): void {
    if (action === 'destroy') this.#socket.destroy()
    else if (action === 'linger') this.#linger()
    else if (action === 'abortCall' && this.writer.hasProgressed() && this.#call?.isAnswered)
      this.#enter('call') // keep waiting: if the client is gone, the write fails
    else if (action === 'abortCall') this.#abortCall()
    else if (action === 'refuse' && problem) this.#takeRequest(unreadable(this.#socket, problem))
  }

  #onData(piece: Buffer): void {
    if (this.#state === 'lingering') this.#deadline = Math.min(this.#lingerEnd, this.edge.clock.after(lingerIdle))
    else this.#input.push(piece)
    this.#readOn()
  }

  #onEnd(): void {
    this.#readOn()
    if (this.#call) this.#enter('call')
    else this.#act(states[this.#state].onEnd, cutHead)
  }

  #onClose(): void {
    this.#state = 'lingering'
    this.#deadline = Number.POSITIVE_INFINITY
    this.#abortCall()
    this.writer.close()
    this.#input.close()
  }

  #abortCall(): void {
    this.#isLast = true
    this.#call?.abort(new Error('The client left'))
  }

  /** Reads what can be read now: the rest of a body, then the head of the next request. */
  readonly #readOn = (): void => {
    const input = this.#input
    if (this.#state === 'lingering') return
    if (this.#body) this.#readBody(this.#body)
    if (this.#state !== 'call' && this.#state !== 'draining') {
      const request = input.readHead()
      if (request) this.#takeRequest(request)
      else if (input.hasBegun && this.#state !== 'head') this.#enter('head')
    }
    input.regulate()
  }

  #readBody(body: Body): void {
    const failure = this.#input.readBody(body)
    if (failure) {
      this.#isLast = true
      this.#input.clear()
      body.fail(failure)
      if (this.#state === 'draining') this.#socket.destroy()
    } else if (body.isComplete && this.#state === 'draining') this.#beIdle()
  }

  #takeRequest(request: Request): void {
    const edge = this.edge
    this.#isLast ||= request.problem !== undefined
    this.#body = request.length === 0 ? undefined : new Body(request, this.#input.parser, edge.limits, this.#readOn)
    this.#call = new IncomingCall(request, this, this.#body)
    this.#enter('call')
    atEndOfTurn(this) // which calls `answerCall`
  }

  /** Answers the call and writes its reply. An error closes the connection, never the process. */
  async answerCall(): Promise<void> {
    const call = this.#call
    if (!call) return
    try {
      await this.#send(await dispatch(call.request, call, this.edge), call)
    } catch (error) {
      await this.#sendInstead(error, call)
    }
    const { destroyed, writableLength } = this.#socket
    if (!destroyed && writableLength > 0) {
      call.memory.hold(writableLength)
      await this.writer.taken()
    }
    call.end()
    this.#next()
  }

  #send(reply: Reply, call: IncomingCall): Promise<void> {
    const { stream } = reply.body
    if (stream) return this.#sendStream(reply, stream, call)
    return this.#body ? call.close().then(() => sendReply(reply, call)) : sendReply(reply, call)
  }

  /** The request's body stays open until the stream has ended, because the handler may still read it. */
  async #sendStream(reply: Reply, stream: ReplyStream, call: IncomingCall): Promise<void> {
    void stream.ended.then(({ failure }) => failure && call.isAnswered && this.writer.reset())
    call.stream = stream
    try {
      await sendReply(reply, call)
    } finally {
      stream.close()
      await call.close()
    }
  }

  /** A refusal, if the pipeline or the first write failed. Once a reply has begun, the connection can only be reset. */
  async #sendInstead(error: unknown, call: IncomingCall): Promise<void> {
    const { gateway } = this.edge
    try {
      if (!call.isAnswered) await this.#send(refuse(error, call, gateway), call)
      else if (call.stream)
        this.writer.reset() // the failure of a stream is reported by `buildReply`, and a client that left is no error
      else if (!this.#socket.destroyed) throw error
    } catch (failure) {
      const message = 'A connection was closed because a response could not be written.'
      observeSafely(gateway, { kind: 'event', level: 'error', name: 'connection', message, error: failure })
      this.#socket.destroy()
    }
  }

  markAnswered(keepsAlive: boolean): string {
    const isUnread = this.#body?.isComplete === false && !this.#body.canBeDrained
    if (this.#call) this.#call.isAnswered = true
    if (!keepsAlive || this.edge.isStopping || this.#isLast || isUnread) this.#isClosing = true
    return this.#isClosing ? 'Connection: close' : this.writer.keepAlive
  }

  #next(): void {
    this.#call = undefined
    this.#input.forgetHead()
    if (this.#socket.destroyed) return
    if (this.#isClosing) return void this.#linger()
    if (this.#body?.isComplete === false) {
      this.#body.isUnwanted = true
      this.#enter('draining')
    } else this.#beIdle()
    this.#readOn()
    if (this.#socket.readableEnded && !this.#call) this.#act(states[this.#state].onEnd, cutHead)
  }

  #beIdle(): void {
    this.#body = undefined
    this.#enter('idle')
    if (this.edge.closesIdle) this.stop()
  }

  /** Lingering close: destroying a socket with unread bytes resets the connection, and the client may miss the reply. */
  #linger(): void {
    if (this.#state === 'lingering') return
    this.#enter('lingering')
    this.#lingerEnd = this.edge.clock.after(lingerTotal)
    this.#input.clear()
    this.#socket.end()
    this.#input.regulate()
  }
}
