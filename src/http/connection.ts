/** One client connection: its requests are answered one after the other, and the client sees the last reply (specification 4.15, 7.5). */
import type { Socket } from 'node:net'
import type { Arrival } from '../model/arrival.ts'
import type { Refusal } from '../model/refusal.ts'
import { BodyFraming, bodyCut } from './body-framing.ts'
import { type Deliverer, Delivery } from './delivery.ts'
import { type Edge, unreadableCall } from './edge.ts'
import { encodeLine } from './encode-line.ts'
import { cutHead, type FramingProblem, HeadReader, type Request, timedOut } from './head.ts'
import { HeadMemory, noMemory } from './head-memory.ts'
import { IncomingCall } from './incoming-call.ts'
import { Input } from './input.ts'
import { Parser } from './llhttp.ts'
import { Peer } from './peer.ts'
import { type Action, halfClosed, linger, type State, states } from './states.ts'
import type { Timed } from './timeouts.ts'
import { atEndOfTurn, type Due, inSlice } from './turn.ts'

export class Connection implements Due, Deliverer, Timed {
  readonly #socket: Socket
  readonly #edge: Edge
  readonly #peer: Peer
  readonly #parser = new Parser()
  readonly #head: HeadReader
  readonly #input: Input
  readonly #heads: HeadMemory
  readonly #delivery: Delivery
  readonly #encodesLine: boolean
  #state: State = 'fresh'
  #deadline: number
  #leaveBy = Number.POSITIVE_INFINITY
  #call: IncomingCall | undefined
  #body: BodyFraming | undefined
  /** No further message can be read. */
  #isBroken = false
  #isClosing = false
  #hasEnded = false
  /** The client has gone, or reads no longer than it takes to end the call under way. */
  #isAbandoned = false

  /** @param stated by the PROXY protocol */
  constructor(socket: Socket, edge: Edge, stated?: Arrival) {
    const { limits, memory } = edge
    this.#socket = socket
    this.#edge = edge
    this.#peer = new Peer(socket, edge.gateway.settings.proxies, stated)
    this.#head = new HeadReader(this.#parser, socket, limits)
    this.#input = new Input(socket)
    this.#heads = new HeadMemory(memory)
    this.#delivery = new Delivery(socket, edge, this)
    this.#encodesLine = edge.gateway.settings.compatibility.rawUrlBytes
    this.#deadline = edge.clock.after(states.fresh.most(limits))
    socket.on('data', (piece: Buffer) => this.#onData(piece))
    socket.on('end', () => this.#onEnd())
    socket.on('error', () => {}) // 'close' follows
    socket.on('close', () => this.#onClose())
  }

  /** No call is under way, and none has begun to come. */
  get isIdle(): boolean {
    const { destroyed, writableLength } = this.#socket
    const isBetween = this.#state === 'fresh' || this.#state === 'idle'
    return isBetween && this.#peer.isPortable && !this.#hasEnded && !destroyed && writableLength === 0
  }

  get callsUnderWay(): number {
    return this.#call ? 1 : 0
  }

  /** The gateway waits for no further call: an idle connection is closed at once, another after the reply under way. */
  stop(endsHeads = true): void {
    if (endsHeads || this.#state !== 'head') this.#act(states[this.#state].stopped)
  }

  /** What it shows of its client counts no longer: it ends as in a stop. */
  renew(): void {
    this.#isBroken = true
    this.stop()
  }

  abort(reason: Error): void {
    this.#call?.abort(reason)
    this.#delivery.cutOff(reason)
  }

  checkTime(): void {
    const { clock } = this.#edge
    // What has come while the process had no time is read before it is late
    if (clock.isPast(this.#deadline))
      inSlice(() => clock.isPast(this.#deadline) && this.#act(states[this.#state].late, timedOut))
  }

  begin(): void {
    if (this.#call) this.#delivery.answer(this.#call)
  }

  goesOn(keepsAlive: boolean): boolean {
    const isUnread = this.#body?.isComplete === false && !this.#body.canBeDrained
    if (!keepsAlive || this.#edge.isStopping || this.#isAbandoned || this.#isBroken || isUnread) this.#isClosing = true
    return !this.#isClosing
  }

  #enter(state: State): void {
    const { clock, limits } = this.#edge
    this.#state = state
    const most = state === 'call' && this.#hasEnded ? halfClosed : states[state].most(limits)
    this.#deadline = clock.after(most)
  }

  #act(action: Action, problem?: FramingProblem): void {
    if (action === 'cut') this.#socket.destroy()
    else if (action === 'leave') this.#leave()
    else if (action === 'abandon' && this.#delivery.isSending)
      this.#enter('call') // a client that is gone refuses it
    else if (action === 'abandon') this.#abandon()
    else if (action === 'refuse' && problem) this.#refuse(problem)
  }

  #onData(piece: Buffer): void {
    if (this.#state === 'leaving') this.#deadline = Math.min(this.#leaveBy, this.#edge.clock.after(linger.silent))
    else this.#input.push(piece)
    this.#readOn()
  }

  #onEnd(): void {
    this.#hasEnded = true
    this.#readOn()
    if (this.#call) this.#enter('call')
    else this.#act(states[this.#state].ended, cutHead)
  }

  #onClose(): void {
    this.#abandon()
    this.#delivery.leave()
    this.#input.clear()
    this.#state = 'leaving'
    this.#deadline = Number.POSITIVE_INFINITY
    this.#heads.close()
    this.#parser.close()
  }

  #abandon(): void {
    this.#isAbandoned = true
    this.abort(new Error('The client left'))
  }

  readonly #wantMore = () => {
    if (!this.#input.piece) this.#input.push()
    this.#readOn()
  }

  /** As far as it can be read now. */
  #readOn(): void {
    if (this.#state === 'leaving') return
    const input = this.#input
    for (let { piece } = input; piece; { piece } = input) {
      const at = this.#state === 'call' || this.#state === 'rest' ? this.#readBody(piece) : this.#readHead(piece)
      if (at === undefined) break
      input.readTo(at)
    }
    if (this.#hasEnded && !input.piece && this.#body?.isWanted) this.#failBody(bodyCut('the body was cut off'))
    input.regulate()
  }

  /** @returns where it stopped; undefined where nothing more is read now */
  #readHead(received: Buffer): number | undefined {
    const head = this.#head
    const piece = this.#encodesLine ? this.#input.replace(encodeLine(head.text, received, this.#input.at)) : received
    const at = head.read(piece, this.#input.at)
    const { request, problem } = head
    if (problem) this.#refuse(problem)
    else if (request) this.#accept(request)
    else {
      if (head.hasBegun && this.#state !== 'head') this.#enter('head')
      if (!this.#heads.hold(head.text.length)) return this.#delivery.cutForMemory()
    }
    return problem ? undefined : at
  }

  #accept(request: Request): void {
    const edge = this.#edge
    if (!this.#heads.hold(request.size)) request.problem ??= noMemory
    this.#head.request = undefined
    this.#isBroken = request.problem !== undefined
    this.#body = request.length === 0 ? undefined : new BodyFraming(request, this.#parser, edge.limits, this.#wantMore)
    if (!this.#body) this.#parser.reset()
    this.#call = new IncomingCall(request, this.#peer, edge, this.#body)
    this.#enter('call')
    atEndOfTurn(this)
  }

  #readBody(piece: Buffer): number | undefined {
    const body = this.#body
    if (!body?.isWanted) return undefined
    const at = body.read(piece, this.#input.at)
    if (typeof at !== 'number') return this.#failBody(at)
    if (!this.#heads.hold(this.#call?.request.size ?? 0, body.pending)) return this.#delivery.cutForMemory()
    if (!body.isComplete) return at
    this.#parser.reset()
    if (this.#state === 'rest') this.#beIdle()
    return at
  }

  #failBody(refusal: Refusal): undefined {
    this.#isBroken = true
    this.#input.clear()
    this.#body?.fail(refusal)
    if (this.#state === 'rest') this.#socket.destroy()
  }

  #refuse(problem: FramingProblem): void {
    this.#delivery.refuse(problem, unreadableCall(this.#peer.arrival))
    this.#leave()
  }

  next(call: IncomingCall): void {
    call.end()
    this.#call = undefined
    this.#heads.hold(0)
    if (this.#socket.destroyed) return
    if (this.#isClosing) this.#leave()
    else if (this.#body && !this.#body.isComplete) {
      this.#body.isUnwanted = true
      this.#enter('rest')
    } else this.#beIdle()
    this.#readOn()
    if (this.#hasEnded && !this.#call) this.#act(states[this.#state].ended, cutHead)
  }

  #beIdle(): void {
    this.#body = undefined
    this.#enter('idle')
    if (this.#edge.closesIdle) this.stop()
  }

  /** Destroying a socket that has unread bytes resets the connection, and a reset takes the reply away from a client that still sends. */
  #leave(): void {
    if (this.#state === 'leaving') return
    this.#input.clear()
    this.#isClosing = true
    this.#enter('leaving')
    this.#leaveBy = this.#edge.clock.after(linger.total)
    this.#socket.end()
    this.#input.regulate()
  }
}
