/** A request of `node:http` as the pipeline's call (specification 5.4, 5.10). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Call, SpooledBody } from '../model/call.ts'
import type { MemoryAccount, MemoryBudget } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import type { FramingProblem } from './framing.ts'
import { type BodyReader, hasBody, readBody } from './read-body.ts'
import { emptySpool } from './spool.ts'

export interface CallSource {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The client sent `Expect: 100-continue` and waits to be asked for the body. */
  readonly mustAsk: boolean
  readonly problem: FramingProblem | undefined
  readonly remoteAddress: string
  readonly isSecure: boolean
  readonly limits: Limits
  readonly memory: MemoryBudget
  /** What its head holds of that. */
  readonly headMemory: number
}

export class IncomingCall implements Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** It is refused before the pipeline sees it. */
  readonly problem: FramingProblem | undefined
  readonly method: string
  readonly target: string
  readonly remoteAddress: string
  readonly isSecure: boolean
  readonly headMemory: number
  readonly #limits: Limits
  readonly #budget: MemoryBudget
  #memory: MemoryAccount | undefined
  #mustAsk: boolean
  #reader: BodyReader | undefined
  #bodyFault: Refusal | undefined
  #abort: { readonly reason: Error } | undefined
  #controller: AbortController | undefined

  constructor(source: CallSource) {
    const { request, response, mustAsk, problem, remoteAddress, isSecure, limits, memory, headMemory } = source
    this.request = request
    this.response = response
    this.problem = problem
    this.method = request.method ?? ''
    this.target = request.url ?? ''
    this.remoteAddress = remoteAddress
    this.isSecure = isSecure
    this.headMemory = headMemory
    this.#limits = limits
    this.#budget = memory
    this.#mustAsk = mustAsk
  }

  get headers() {
    return this.request.headers
  }

  /** Made at its first use: most calls never ask. */
  get memory(): MemoryAccount {
    this.#memory ??= this.#budget.open()
    return this.#memory
  }

  /** Made at its first use, too. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal
    this.#controller = new AbortController()
    if (this.#abort) this.#controller.abort(this.#abort.reason)
    return this.#controller.signal
  }

  get isHalfClosed(): boolean {
    return this.request.socket.readableEnded
  }

  /** At once where there is none. */
  readBody(): SpooledBody | Promise<SpooledBody> {
    if (this.#bodyFault) throw this.#bodyFault
    if (!hasBody(this.request)) return emptySpool
    this.#reader = readBody(
      this.request,
      this.#limits,
      () => {
        if (this.#mustAsk) this.response.writeContinue()
        this.#mustAsk = false
      },
      () => this.memory.open(),
    )
    return this.#reader.body
  }

  /** Its body can no longer arrive whole. */
  failBody(refusal: Refusal): void {
    this.#bodyFault = refusal
    this.#reader?.fail(refusal)
  }

  /** Nobody waits for the answer any more, or nobody may wait any longer. */
  abort(reason: Error): void {
    if (this.#abort) return
    this.#abort = { reason }
    this.#controller?.abort(reason)
    this.failBody(reason instanceof Refusal ? reason : new Refusal('bodyMalformed', reason.message))
  }

  /** Some of the body is still to come. */
  get isReceiving(): boolean {
    return !this.request.complete && hasBody(this.request)
  }

  /** Bytes of the connection that had come with the latest piece of its body; undefined where none is read, or pieces wait. */
  get bodySeen(): number | undefined {
    return this.isReceiving && this.request.readableLength === 0 ? this.#reader?.seen : undefined
  }

  /** What is still to come is short, was not asked for and is on its way: the next request can be waited for behind it. */
  get canBeDrained(): boolean {
    if (this.#reader || this.#mustAsk) return false
    return Number(this.request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= drainBytes
  }

  /** Milliseconds that its reply may wait for the client. */
  get responseTimeout(): number {
    return this.#limits.responseTimeout
  }

  /** Its reply is written, or never will be. */
  end(): void {
    this.#memory?.close()
  }

  /** Removes what was spooled; undefined where there is nothing to wait for. */
  close(): Promise<void> | undefined {
    return this.#reader?.close()
  }
}

const drainBytes = 64 * 1024
