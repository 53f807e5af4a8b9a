/** A request that came over a socket, as the pipeline's call (specification 5.4, 5.10). */
import type { Arrival } from '../model/arrival.ts'
import type { BodyStream, Call, SpooledBody } from '../model/call.ts'
import type { ClientCertificate } from '../model/certificate.ts'
import type { MemoryAccount } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import type { BodySource } from './body-framing.ts'
import { type CertificateSource, readOfConnection } from './client-certificate.ts'
import { type Collection, openCollection } from './collect.ts'
import type { Edge } from './edge.ts'
import type { Request } from './head.ts'
import { type BodyReader, readBody } from './read-body.ts'
import { emptySpool } from './spool.ts'
import { streamBody } from './stream-body.ts'

/** Maximum remaining bytes of an unread body for which the connection waits. */
const drainBytes = 64 * 1024
/** A body up to this size is read as a whole: most have come with the head. */
const wholeBytes = 64 * 1024

type CallEdge = Pick<Edge, 'limits' | 'memory'>

export class IncomingCall implements Call {
  readonly request: Request
  readonly method: string
  readonly target: string
  readonly headers: Request['headers']
  readonly remoteAddress: string
  readonly isSecure: boolean
  readonly proxy: string | undefined
  readonly #edge: CallEdge
  readonly #certificate: CertificateSource
  readonly #source: BodySource | undefined
  #memory: MemoryAccount | undefined
  #reader: Pick<BodyReader, 'fail' | 'close'> | undefined
  #bodyFault: Refusal | undefined
  #collection: Collection | undefined
  #abort: { readonly reason: Error } | undefined
  #controller: AbortController | undefined

  /** @param body undefined where it has none */
  constructor(
    request: Request,
    arrival: Arrival,
    edge: CallEdge,
    body: BodySource | undefined,
    certificate: CertificateSource = readOfConnection,
  ) {
    this.request = request
    this.method = request.method
    this.target = request.target
    this.headers = request.headers
    this.remoteAddress = arrival.remoteAddress
    this.isSecure = arrival.isSecure
    this.proxy = arrival.proxy
    this.#edge = edge
    this.#certificate = certificate
    this.#source = body
  }

  /** Made at its first use: most calls never ask. */
  get memory(): MemoryAccount {
    this.#memory ??= this.#edge.memory.open()
    return this.#memory
  }

  /** Made at its first use, too. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal
    this.#controller = new AbortController()
    if (this.#abort) this.#controller.abort(this.#abort.reason)
    return this.#controller.signal
  }

  readCertificate(): ClientCertificate | string {
    return this.#certificate(this.request)
  }

  get isHalfClosed(): boolean {
    return this.request.socket.readableEnded
  }

  /** At once where there is none. */
  readBody(limit = Infinity, take?: (piece: Uint8Array) => void): SpooledBody | Promise<SpooledBody> {
    if (this.#bodyFault) throw this.#bodyFault
    const { length } = this.request
    if (!this.#source) return emptySpool
    const limits = this.#limitsOf(limit)
    const reader = readBody(
      length,
      this.#source,
      () => this.#askForBody(),
      limits,
      () => this.memory.open(),
      take,
    )
    this.#reader = reader
    return reader.body
  }

  streamBody(limit = Infinity): BodyStream | undefined {
    const { length } = this.request
    if (!this.#source || (length !== undefined && length <= wholeBytes)) return undefined
    if (this.#bodyFault) throw this.#bodyFault
    const reader = streamBody(length, this.#source, () => this.#askForBody(), this.#limitsOf(limit))
    this.#reader = reader
    return reader.body
  }

  #limitsOf(limit: number): Edge['limits'] {
    const { limits } = this.#edge
    return limit < limits.maxBodyBytes ? { ...limits, maxBodyBytes: limit } : limits
  }

  #askForBody(): void {
    if (this.mustAsk) this.request.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')
  }

  /** Undefined for HTTP/1.1, which has chunks. */
  get collect(): Call['collect'] {
    if (this.request.version === 11) return undefined
    this.#collection ??= openCollection(this.memory, this.#edge.limits.spoolMemoryBytes)
    return this.#collection.collect
  }

  /** Its body can no longer arrive whole. */
  failBody(refusal: Refusal): void {
    this.#bodyFault = refusal
    this.#reader?.fail(refusal)
  }

  /** The client has left, or the grace time of a stop has ended. */
  abort(reason: Error): void {
    if (this.#abort) return
    this.#abort = { reason }
    this.#controller?.abort(reason)
    this.failBody(reason instanceof Refusal ? reason : new Refusal('bodyMalformed', reason.message))
  }

  /** What is still to come is short, was not asked for and is on its way: the next request can be waited for behind it. */
  get canBeDrained(): boolean {
    const { length } = this.request
    return !this.#reader && !this.mustAsk && length !== undefined && length <= drainBytes
  }

  /** The client sent `Expect: 100-continue` and waits to be asked for the body. */
  get mustAsk(): boolean {
    const { expect } = this.headers
    return this.request.version === 11 && typeof expect === 'string' && /(?:^|\W)100-continue(?:$|\W)/i.test(expect)
  }

  /** Milliseconds that its reply may wait for the client. */
  get responseTimeout(): number {
    return this.#edge.limits.responseTimeout
  }

  /** Its reply is written, or never will be. */
  end(): void {
    this.#memory?.close()
    this.#collection?.close()
  }

  /** Removes what was spooled; undefined where there is nothing to wait for. */
  close(): Promise<void> | undefined {
    return this.#reader?.close()
  }
}
