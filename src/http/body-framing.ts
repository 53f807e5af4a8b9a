/**
 * Reads the body of a request, on demand, up to the end of its trailers, which are ignored. The framing around its bytes
 * is bounded by its own count (specification 5.10, 7.5).
 */
import { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import { mostFields, type Request } from './head.ts'
import type { BodyFindings, Parser } from './llhttp.ts'

export interface BodySource {
  /** In bytes; undefined where only the end of the body tells. */
  readonly size: number | undefined
  /** Asks a client for it that waits to be asked. Gives the sink what has come, at once, and what comes. */
  readTo(sink: BodySink): void
  /** After the sink wanted to wait. */
  goOn(): void
}

export interface BodySink {
  /** @returns false where nothing more must come until it asks */
  write(bytes: Buffer): boolean
  end(): void
  /** It can no longer arrive whole. */
  fail(refusal: Refusal): void
}

/** Maximum remaining bytes of an unread body for which the connection waits. */
const drainBytes = 64 * 1024
/** Bytes of chunk lines and extensions for each byte of the body, besides the limit of headers. A chunk of one byte has 5. */
const framingPerByte = 16

export class BodyFraming implements BodyFindings, BodySource {
  readonly size: number | undefined
  readonly #request: Request
  readonly #parser: Parser
  readonly #maxHeaderBytes: number
  readonly #readOn: () => void
  #sink: BodySink | undefined
  #failure: Refusal | undefined
  /** The sink has as much as it can take. */
  #isWaiting = false
  /** No handler reads it: it is discarded. */
  isUnwanted = false
  #piece: Buffer | undefined
  /** From a place in the piece to one in the body. */
  #shift = 0
  /** Bytes that have come, and of them those of the body. */
  #seen = 0
  #bytes = 0
  #trailersStart = -1
  #trailers = 0
  #isInName = false
  isComplete = false

  /** @param readOn called when more of it is wanted */
  constructor(
    request: Request,
    parser: Parser,
    { maxHeaderBytes }: Pick<Limits, 'maxHeaderBytes'>,
    readOn: () => void,
  ) {
    this.size = request.length
    this.#request = request
    this.#parser = parser
    this.#maxHeaderBytes = maxHeaderBytes
    this.#readOn = readOn
  }

  get isWanted(): boolean {
    return !this.isComplete && (this.isUnwanted || (this.#sink !== undefined && !this.#isWaiting))
  }

  /** What is still to come is short, was not asked for and is on its way: the next request can be waited for behind it. */
  get canBeDrained(): boolean {
    return !this.#sink && !this.#mustAsk && this.size !== undefined && this.size <= drainBytes
  }

  /** The client sent `Expect: 100-continue` and waits to be asked for the body. */
  get #mustAsk(): boolean {
    const { version, headers } = this.#request
    const { expect } = headers
    return version === 11 && typeof expect === 'string' && /(?:^|\W)100-continue(?:$|\W)/i.test(expect)
  }

  readTo(sink: BodySink): void {
    if (this.#failure) {
      sink.fail(this.#failure)
      return
    }
    if (this.#mustAsk) this.#request.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')
    this.#sink = sink
    this.#readOn()
  }

  goOn(): void {
    this.#isWaiting = false
    this.#readOn()
  }

  /** It can no longer arrive whole. */
  fail(failure: Refusal): void {
    this.#failure ??= failure
    this.#sink?.fail(failure)
    this.#sink = undefined
  }

  /** Bytes of trailers that have not ended. */
  get pending(): number {
    return this.#trailersStart < 0 || this.isComplete ? 0 : this.#seen - this.#trailersStart
  }

  /** @returns where it stopped: behind the message, where the sink wants to wait, at the end of the piece; or why it cannot be read on */
  read(piece: Buffer, from: number): number | Refusal {
    this.#piece = piece
    this.#shift = this.#seen - from
    const outcome = this.#parser.read(piece, from, this)
    this.#piece = undefined
    const { position } = this.#parser
    this.#seen = position + this.#shift
    const refusal = this.#findOversize()
    if (refusal) return refusal
    if (outcome === 'malformed' || outcome === 'version') return bodyCut(this.#parser.reason)
    if (this.isComplete) this.#sink?.end()
    return position
  }

  onBody(start: number, end: number): boolean {
    if (start === end) return true // where nothing new has come
    this.#bytes += end - start
    if (this.#sink && this.#piece) this.#isWaiting = !this.#sink.write(this.#piece.subarray(start, end))
    return !this.#isWaiting
  }

  onName(start: number): void {
    if (this.#trailersStart < 0) this.#trailersStart = start + this.#shift
    if (!this.#isInName) this.#trailers += 1
    this.#isInName = true
  }

  onValue(): void {
    this.#isInName = false
  }

  onEnd(): void {
    this.isComplete = true
  }

  #findOversize(): Refusal | undefined {
    const most = this.#maxHeaderBytes
    if (this.#trailersStart >= 0) {
      const size = this.#seen - this.#trailersStart
      const isOver = size > most + (this.isComplete ? 2 : 1) || this.#trailers > mostFields
      return isOver ? new Refusal('headersTooLarge', 'trailers over the limit') : undefined
    }
    const framing = this.#seen - this.#bytes
    return framing > most + framingPerByte * this.#bytes ? bodyCut('chunk extensions over the limit') : undefined
  }
}

const detail = 'The request body was cut off, or its framing is malformed.'

export function bodyCut(reason: string): Refusal {
  return new Refusal('bodyMalformed', reason, { detail })
}
