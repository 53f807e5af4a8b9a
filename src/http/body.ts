/**
 * Reads the body of a request on demand, to the end of its trailers, which are ignored. Limits its size, its time and the
 * bytes of its framing (specification 4.10, 5.10, 7.5, 7.6).
 */
import { setInterval } from '../base/timers.ts'
import { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import { maxFields, type Request } from './head.ts'
import type { BodyFindings, Parser } from './llhttp.ts'

export interface BodySink {
  /** @returns false if no more must be sent until it resumes */
  write(bytes: Buffer): boolean
  /** Called once: with undefined if the body is complete, otherwise with the reason. */
  end(failure: Error | undefined): void
}

type BodyLimits = Pick<Limits, 'maxHeaderBytes' | 'maxBodyBytes' | 'bodyTimeout'>

/** Minimum bytes per second, measured over each period of `bodyTimeout`. A slower body counts as not received. */
const slowestRate = 1024
/** Maximum remaining bytes of an unread body for which the connection waits. */
const drainBytes = 64 * 1024
/** Bytes of chunk lines and extensions per byte of the body, on top of the limit of headers. A one-byte chunk has 5. */
const framingPerByte = 16

export class Body implements BodyFindings {
  /** Size in bytes; undefined if the body comes in chunks. */
  readonly size: number | undefined
  readonly #request: Request
  readonly #parser: Parser
  readonly #limits: BodyLimits
  readonly #readOn: () => void
  #max: number
  #sink: BodySink | undefined
  #failure: Error | undefined
  #hasBegun = false
  /** The sink accepts no more for now. */
  #isWaiting = false
  #watch: NodeJS.Timeout | undefined
  /** No handler reads it, so it is discarded. */
  isUnwanted = false
  /** Added to a position in the piece, gives the position in the body. */
  #shift = 0
  /** Bytes received with framing, and without. */
  #seen = 0
  #bytes = 0
  #trailersStart = -1
  #trailers = 0
  #nameEnd = -1
  isComplete = false

  /** @param readOn called when the sink wants more */
  constructor(request: Request, parser: Parser, limits: BodyLimits, readOn: () => void) {
    this.size = request.length
    this.#request = request
    this.#parser = parser
    this.#limits = limits
    this.#max = limits.maxBodyBytes
    this.#readOn = readOn
  }

  get isWanted(): boolean {
    return !this.isComplete && (this.isUnwanted || (this.#sink !== undefined && !this.#isWaiting))
  }

  /** The unread body is short and already on its way, so the connection can discard it and read the next request. */
  get canBeDrained(): boolean {
    return !this.#hasBegun && !this.#mustAsk && this.size !== undefined && this.size <= drainBytes
  }

  /** The client sent `Expect: 100-continue` and waits to be asked for the body. */
  get #mustAsk(): boolean {
    const { version, headers } = this.#request
    return version === 11 && /(?:^|\W)100-continue(?:$|\W)/i.test(String(headers.expect))
  }

  /** @param most bytes, if it is less than the limit @throws Refusal where it is announced as larger */
  limit(max: number): void {
    this.#max = Math.min(max, this.#limits.maxBodyBytes)
    if (this.size !== undefined && this.size > this.#max) throw tooLarge(this.#max)
  }

  /** Passes the body to the sink as it arrives. Sends 100 Continue to a client that waits for it. */
  readTo(sink: BodySink): void {
    if (this.#failure) return void sink.end(this.#failure)
    if (this.#mustAsk) this.#request.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')
    this.#hasBegun = true
    this.#sink = sink
    this.#readOn()
    if (this.#sink) this.#watchClient(this.#limits.bodyTimeout)
  }

  /** The sink accepts more again. */
  goOn(): void {
    this.#isWaiting = false
    if (this.#sink) this.#readOn()
  }

  /** The body can no longer be complete, or is no longer needed. */
  fail(failure: Error): void {
    this.#failure ??= failure
    this.#settle()
  }

  #settle(): void {
    const sink = this.#sink
    this.#sink = undefined
    clearInterval(this.#watch)
    sink?.end(this.#failure)
  }

  /** A client counts as slow only for the time in which the sink waits for it. */
  #watchClient(bodyTimeout: number): void {
    let before = 0
    let hasWaited = false
    this.#watch = setInterval(() => {
      const minBytes = (slowestRate * bodyTimeout) / 1000
      const isSlow = !hasWaited && !this.#isWaiting && this.#bytes - before < minBytes
      before = this.#bytes
      hasWaited = this.#isWaiting
      if (isSlow) this.fail(new Refusal('bodyMalformed', 'body not received in time', { detail: late }))
    }, bodyTimeout)
  }

  /** Bytes of incomplete trailers. */
  get pending(): number {
    return this.#trailersStart < 0 || this.isComplete ? 0 : this.#seen - this.#trailersStart
  }

  /** @returns the position where reading stopped, or why the body is refused */
  read(piece: Buffer, from: number): number | Refusal {
    this.#shift = this.#seen - from
    const outcome = this.#parser.read(piece, from, this)
    const { position } = this.#parser
    this.#seen = position + this.#shift
    const refusal = this.#findOversize()
    if (refusal) return refusal
    if (outcome === 'malformed' || outcome === 'version') return bodyCut(this.#parser.reason)
    if (this.isComplete) this.#settle()
    return position
  }

  onBody(bytes: Buffer): boolean {
    if (bytes.length === 0) return true
    this.#bytes += bytes.length
    if (this.#bytes > this.#max) this.fail(tooLarge(this.#max))
    if (this.#sink) this.#isWaiting = !this.#sink.write(bytes)
    return !this.#isWaiting
  }

  onName(start: number, end: number): void {
    if (this.#trailersStart < 0) this.#trailersStart = start + this.#shift
    if (start + this.#shift !== this.#nameEnd) this.#trailers += 1 // otherwise the name continues from the last piece
    this.#nameEnd = end + this.#shift
  }

  onEnd(): void {
    this.isComplete = true
  }

  #findOversize(): Refusal | undefined {
    const max = this.#limits.maxHeaderBytes
    if (this.#trailersStart >= 0) {
      const size = this.#seen - this.#trailersStart
      const isOver = size > max + (this.isComplete ? 2 : 1) || this.#trailers > maxFields
      return isOver ? new Refusal('headersTooLarge', 'trailers over the limit') : undefined
    }
    const framing = this.#seen - this.#bytes
    return framing > max + framingPerByte * this.#bytes ? bodyCut('chunk extensions over the limit') : undefined
  }
}

const late = 'The request body did not arrive in time.'
const cut = 'The request body was cut off, or its framing is malformed.'

export function bodyCut(reason: string): Refusal {
  return new Refusal('bodyMalformed', reason, { detail: cut })
}

export function tooLarge(max: number): Refusal {
  const detail = `The request body is larger than ${max} bytes.`
  return new Refusal('bodyTooLarge', 'body over the limit', { detail })
}
