/**
 * One client connection: its requests are read and answered one after the other, and it is closed so that the client
 * sees the last reply (specification 4.15, 7.5).
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Reply } from '../model/call.ts'
import { unboundedMemory } from '../model/memory-budget.ts'
import type { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import { BodyFraming, type BodySink, bodyCut } from './body-framing.ts'
import { answerAsterisk, type Edge, observeSafely, refuse, refuseFraming, unreadableCall } from './edge.ts'
import { type FramingProblem, HeadReader, malformed, type Request } from './head.ts'
import { HeadMemory, noMemory } from './head-memory.ts'
import { IncomingCall } from './incoming-call.ts'
import { Parser } from './llhttp.ts'
import type { BodySource } from './read-body.ts'
import { type Ending, formatReply, sendReply } from './reply.ts'
import type { Timed } from './timeouts.ts'
import { atEndOfTurn, type Due, inSlice } from './turn.ts'
import { cutLate } from './write-large.ts'

/** `fresh`: nothing has come. `rest`: of a body that nobody wants. `leaving`: the last reply is written. */
type State = 'fresh' | 'idle' | 'head' | 'call' | 'rest' | 'leaving'
type Action = 'cut' | 'leave' | 'refuse' | 'wait'

interface Row {
  /** Milliseconds that it may last. */
  most(limits: Limits): number
  /** What is done when it lasts longer, when the client has closed its sending half, and when the gateway stops. */
  readonly late: Action
  readonly ended: Action
  readonly stopped: Action
}

/** A client that still sends is listened to for so long, in milliseconds, before the connection is cut. */
const linger = { silent: 2_000, total: 30_000 }
const lingering = () => linger.silent

const states: Readonly<Record<State, Row>> = {
  fresh: { most: ({ headersTimeout }) => headersTimeout, late: 'cut', ended: 'leave', stopped: 'cut' },
  idle: { most: ({ keepAliveTimeout }) => keepAliveTimeout, late: 'cut', ended: 'leave', stopped: 'cut' },
  head: { most: ({ headersTimeout }) => headersTimeout, late: 'refuse', ended: 'refuse', stopped: 'cut' },
  call: { most: () => Number.POSITIVE_INFINITY, late: 'wait', ended: 'wait', stopped: 'wait' },
  rest: { most: lingering, late: 'cut', ended: 'cut', stopped: 'leave' },
  leaving: { most: lingering, late: 'cut', ended: 'wait', stopped: 'wait' },
}

const timedOut: FramingProblem = { fault: 'timedOut', reason: 'head not received in time' }

/** Bytes that wait for the call under way, or for the disk: with more, reading stops. */
const heldBytes = 64 * 1024

/**
 * A client that has closed its sending half may still read, or may be gone: the two look alike until something is
 * written. For so long, in milliseconds, it is taken to wait for its reply.
 */
const halfClosed = 1_000

export class Connection implements BodySource, Due, Ending, Timed {
  readonly #socket: Socket
  readonly #edge: Edge
  readonly #remoteAddress: string
  readonly #isSecure: boolean
  readonly #parser = new Parser()
  readonly #head: HeadReader
  readonly #heads: HeadMemory
  readonly seconds: number
  #state: State = 'fresh'
  #deadline: number
  #leaveBy = Number.POSITIVE_INFINITY
  /** What has come and was not read yet, from `#at` of the first piece on. */
  #input: Buffer[] = []
  #at = 0
  #isPaused = false
  #call: IncomingCall | undefined
  #body: BodyFraming | undefined
  #sink: BodySink | undefined
  /** The sink has as much as it can take. */
  #isWaiting = false
  /** No further message can be read. */
  #isBroken = false
  #isClosing = false
  #hasEnded = false
  /** The client has gone, or reads no longer than it takes to end the call under way. */
  #isAbandoned = false
  #whenWritten: (() => void) | undefined

  constructor(socket: Socket, edge: Edge) {
    const { settings, memory } = edge.gateway
    this.#socket = socket
    this.#edge = edge
    this.#remoteAddress = socket.remoteAddress ?? ''
    this.#isSecure = socket instanceof TLSSocket
    this.#head = new HeadReader(this.#parser, socket, settings.limits)
    this.#heads = new HeadMemory(memory ?? unboundedMemory)
    this.seconds = Math.floor(settings.limits.keepAliveTimeout / 1000)
    this.#deadline = edge.clock.after(states.fresh.most(settings.limits))
    socket.on('data', (piece: Buffer) => this.#onData(piece))
    socket.on('end', () => this.#onEnd())
    socket.on('error', () => {}) // 'close' follows
    socket.on('close', () => this.#onClose())
  }

  /** No call is under way, and none has begun to come. */
  get isIdle(): boolean {
    const { destroyed, writableLength } = this.#socket
    const isBetween = this.#state === 'fresh' || this.#state === 'idle'
    return isBetween && !this.#isSecure && !this.#hasEnded && !destroyed && writableLength === 0
  }

  get callsUnderWay(): number {
    return this.#call ? 1 : 0
  }

  /** The gateway waits for no further call: an idle connection is closed at once, another after the reply under way. */
  stop(): void {
    this.#act(states[this.#state].stopped)
  }

  abort(reason: Error): void {
    this.#call?.abort(reason)
  }

  checkTime(): void {
    const { clock } = this.#edge
    // What has come while the process had no time is read before it is late
    if (clock.isPast(this.#deadline))
      inSlice(() => clock.isPast(this.#deadline) && this.#act(states[this.#state].late, timedOut))
  }

  /** Whatever goes wrong with one connection, the process lives. Waits only for what takes time: decisions D-130. */
  begin(): void {
    const call = this.#call
    if (!call) return
    const { answer, gateway } = this.#edge
    if (call.problem) this.#finish(refuseFraming(call.problem, call, gateway), call)
    else if (call.target === '*') this.#finish(answerAsterisk(call, gateway), call)
    else
      answer(call).then(
        (reply) => this.#finish(reply, call),
        (error) => this.#finish(refuse(error, call, gateway), call),
      )
  }

  ask(): void {
    if (this.#call?.mustAsk) this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')
  }

  read(sink: BodySink): void {
    this.#sink = sink
    this.#readOn()
  }

  goOn(): void {
    this.#isWaiting = false
    if (this.#input.length === 0) this.#input.push(nothing) // the end may have come already
    this.#readOn()
  }

  isLast(keepsAlive: boolean): boolean {
    const isLast =
      this.#edge.isStopping || this.#isAbandoned || this.#isBroken || (this.#isReceiving && !this.#call?.canBeDrained)
    if (isLast || !keepsAlive) this.#isClosing = true
    return isLast
  }

  readonly onWritten = () => {
    if (this.#socket.writableLength === 0) this.#whenWritten?.()
  }

  get #isReceiving(): boolean {
    return this.#body !== undefined && !this.#body.isComplete
  }

  #enter(state: State): void {
    this.#state = state
    this.#deadline = this.#edge.clock.after(states[state].most(this.#edge.gateway.settings.limits))
  }

  #act(action: Action, problem?: FramingProblem): void {
    if (action === 'cut') this.#socket.destroy()
    else if (action === 'leave') this.#leave()
    else if (action === 'refuse' && problem) this.#refuse(problem)
  }

  #onData(piece: Buffer): void {
    if (this.#state === 'leaving') {
      this.#deadline = Math.min(this.#leaveBy, this.#edge.clock.after(linger.silent))
      return
    }
    this.#input.push(piece)
    this.#readOn()
    if (this.#input.length === 0 || this.#isPaused) return
    const held = this.#input.reduce((sum, { length }) => sum + length, -this.#at)
    if (held < heldBytes) return
    this.#isPaused = true
    this.#socket.pause()
  }

  #onEnd(): void {
    this.#hasEnded = true
    this.#readOn()
    if (this.#call) setTimeout(() => this.#abandon(), halfClosed)
    else this.#act(states[this.#state].ended, malformed('the head was cut off'))
  }

  #onClose(): void {
    this.#abandon()
    this.#whenWritten?.()
    this.#input = []
    this.#deadline = Number.POSITIVE_INFINITY
    this.#heads.close()
    this.#parser.close()
  }

  #abandon(): void {
    this.#isAbandoned = true
    this.abort(new Error('The client left'))
  }

  /** As far as it can be read now. */
  #readOn(): void {
    for (let [piece] = this.#input; piece !== undefined; [piece] = this.#input) {
      const at = this.#state === 'call' || this.#state === 'rest' ? this.#readBody(piece) : this.#readHead(piece)
      if (at === undefined) break
      this.#at = at
      if (at < piece.length) continue
      this.#input.shift()
      this.#at = 0
    }
    if (this.#hasEnded && this.#sink && this.#input.length === 0) this.#failBody(bodyCut('the body was cut off'))
    if (!this.#isPaused || this.#input.length > 0) return
    this.#isPaused = false
    this.#socket.resume()
  }

  /** @returns where it stopped; undefined where nothing more is read now */
  #readHead(piece: Buffer): number | undefined {
    const head = this.#head
    const at = head.read(piece, this.#at)
    const { request, problem } = head
    if (problem) this.#refuse(problem)
    else if (request) this.#accept(request)
    else {
      if (head.hasBegun && this.#state !== 'head') this.#enter('head')
      if (!this.#heads.holdHead(head.pending)) return this.#cutForMemory()
    }
    return problem ? undefined : at
  }

  #accept(request: Request): void {
    const { settings, memory } = this.#edge.gateway
    const problem = request.problem ?? (this.#heads.holdHead(request.size) ? undefined : noMemory)
    this.#head.request = undefined
    this.#isBroken = problem !== undefined
    this.#body = request.length === 0 ? undefined : new BodyFraming(this.#parser, settings.limits)
    if (!this.#body) this.#parser.reset()
    this.#call = new IncomingCall({
      request,
      problem,
      limits: settings.limits,
      memory: memory ?? unboundedMemory,
      remoteAddress: this.#remoteAddress,
      isSecure: this.#isSecure,
      body: this,
    })
    this.#enter('call')
    atEndOfTurn(this)
  }

  #readBody(piece: Buffer): number | undefined {
    const body = this.#body
    if (this.#state === 'call' && (!this.#sink || this.#isWaiting)) return undefined
    if (!body || body.isComplete) return undefined
    const at = body.read(piece, this.#at, this.#sink ? this.#write : undefined)
    if (typeof at !== 'number') {
      this.#failBody(at)
      return undefined
    }
    if (!this.#heads.holdTrailers(body.pending)) return this.#cutForMemory()
    if (!body.isComplete) return at
    this.#parser.reset()
    this.#sink?.end()
    this.#sink = undefined
    if (this.#state === 'rest') this.#beIdle()
    return at
  }

  readonly #write = (bytes: Buffer) => {
    this.#isWaiting = this.#sink?.write(bytes) === false
    return !this.#isWaiting
  }

  #failBody(refusal: Refusal): void {
    this.#isBroken = true
    this.#sink?.fail(refusal)
    this.#sink = undefined
    this.#input = []
    if (this.#state === 'rest') this.#socket.destroy()
    else this.#call?.failBody(refusal)
  }

  #refuse(problem: FramingProblem): void {
    const { gateway } = this.#edge
    const reply = refuseFraming(problem, unreadableCall(this.#remoteAddress, this.#isSecure), gateway)
    if (this.#socket.writable) this.#socket.write(formatReply(reply))
    this.#leave()
  }

  #cutForMemory(): undefined {
    const message = 'A connection was closed: there is no memory for its request heads (ig.limits.memory).'
    observeSafely(this.#edge.gateway, { kind: 'event', level: 'warning', name: 'connection', message })
    this.#socket.destroy()
  }

  #finish(reply: Reply, call: IncomingCall): void {
    try {
      const delivered = this.#deliver(reply, call)
      if (delivered) delivered.then(() => this.#next(call)).catch((error) => this.#cut(call, error))
      else this.#next(call)
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
    if (!closing) return this.#send(reply, call)
    const onError = (error: unknown) => {
      const message = 'The temporary file of a body could not be removed.'
      observeSafely(this.#edge.gateway, { kind: 'event', level: 'error', name: 'spool', message, error })
    }
    return closing.catch(onError).then(() => this.#send(reply, call))
  }

  #send(reply: Reply, call: IncomingCall): Promise<void> | undefined {
    const socket = this.#socket
    if (socket.destroyed) return undefined
    const written = socket.bytesWritten
    const onError = (error: unknown) => {
      if (socket.bytesWritten > written) return this.#cutOff(error)
      return sendReply(refuse(error, call, this.#edge.gateway), call, this) // a header that HTTP cannot carry
    }
    try {
      const sending = sendReply(reply, call, this)
      return sending ? sending.catch(onError).then(() => this.#flush(call)) : this.#flush(call)
    } catch (error) {
      const sending = onError(error)
      return sending ? sending.then(() => this.#flush(call)) : this.#flush(call)
    }
  }

  /** A file that could not be read to its end; or the client is gone, which is no fault. */
  #cutOff(error: unknown): undefined {
    this.#socket.destroy()
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }

  /** A reader may be slow, but must not stand still. Undefined where all is on its way. */
  #flush(call: IncomingCall): Promise<void> | undefined {
    const { destroyed, writableLength } = this.#socket
    if (destroyed || writableLength === 0) return undefined
    call.memory.hold(writableLength)
    const end = cutLate(call)
    return new Promise((resolve) => {
      this.#whenWritten = () => {
        this.#whenWritten = undefined
        end()
        resolve()
      }
    })
  }

  #next(call: IncomingCall): void {
    call.end()
    this.#call = undefined
    this.#sink = undefined
    this.#isWaiting = false
    this.#heads.holdHead(0)
    this.#heads.holdTrailers(0)
    if (this.#socket.destroyed) return
    if (this.#isClosing) this.#leave()
    else if (this.#isReceiving) this.#enter('rest')
    else this.#beIdle()
    this.#readOn()
    if (this.#hasEnded && !this.#call) this.#act(states[this.#state].ended, malformed('the head was cut off'))
  }

  #beIdle(): void {
    this.#body = undefined
    this.#enter('idle')
    if (this.#edge.closesIdle) this.stop()
  }

  /** Destroying a socket that has unread bytes resets the connection, and a reset takes the reply away from a client that still sends. */
  #leave(): void {
    if (this.#state === 'leaving') return
    this.#input = []
    this.#isClosing = true
    this.#enter('leaving')
    this.#leaveBy = this.#edge.clock.after(linger.total)
    this.#socket.end()
    this.#isPaused = false
    this.#socket.resume()
  }
}

const nothing = Buffer.alloc(0)
