/**
 * One request to another server, by undici's dispatcher: the answer as a whole if it is short or came at once, otherwise
 * as a stream that is read at the pace of the client (specification 36.6, 36.7).
 */
import type { Dispatcher } from 'undici'
import { releaseBuffers } from '../../../base/release-buffers.ts'
import { StreamContent } from '../../../model/content/response-message.ts'
import { type FlatHeaders, findHeader } from './flat-headers.ts'

export interface OriginalAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: FlatHeaders
  readonly content: Buffer | StreamContent
}

/** An answer of a known length up to this is received before anything is sent: one that is cut is refused. */
const wholeBytes = 64 * 1024
const none = Buffer.alloc(0)

type Controller = Dispatcher.DispatchController

export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<OriginalAnswer>
  readonly #isHead: boolean
  readonly #resolve: (answer: OriginalAnswer) => void
  readonly #reject: (reason: unknown) => void
  #controller: Controller | undefined
  #status = 0
  #headers: FlatHeaders = []
  #size: number | undefined
  readonly #pieces: Buffer[] = []
  /** That of the last piece. */
  #memory: ArrayBufferLike | undefined
  #isStreaming = false
  #hasEnded = false
  #failure: unknown
  #wake: (() => void) | undefined

  constructor(isHead: boolean) {
    const { promise, resolve, reject } = Promise.withResolvers<OriginalAnswer>()
    this.answer = promise
    promise.catch(() => {}) // it may be aborted before anyone waits for it
    this.#isHead = isHead
    this.#resolve = resolve
    this.#reject = reject
  }

  abort(reason: Error): void {
    this.#fail(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#failure instanceof Error) controller.abort(this.#failure)
  }

  onResponseStart(controller: Controller, status: number): void {
    if (status < 200) return
    this.#status = status
    this.#headers = decode(controller.rawHeaders as readonly Buffer[])
    const length = findHeader(this.#headers, 'content-length')
    this.#size = length === undefined ? undefined : Number(length)
    // Such a length is that of another answer, and undici would wait for its body (RFC 9110, 8.6)
    if (this.#size && (status === 204 || status === 304)) {
      this.onResponseEnd()
      controller.abort(new Error('An answer without a body has a length'))
      return
    }
    const isWhole = this.#isHead || (this.#size !== undefined && this.#size <= wholeBytes)
    if (!isWhole) queueMicrotask(this.#beginStream) // behind what came in the same piece
  }

  onResponseData(controller: Controller, piece: Buffer): void {
    if (piece.length === 0) return // of an empty buffer that undici uses again
    this.#pieces.push(piece)
    // What the next read from the socket has brought waits there if this one is still being sent
    if (this.#isStreaming && !this.#wake && piece.buffer !== this.#memory) controller.pause()
    this.#memory = piece.buffer
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#hasEnded = true
    if (this.#isStreaming) this.#wake?.()
    else this.#resolve({ status: this.#status, headers: this.#headers, content: this.#joinContent() })
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    this.#fail(error)
  }

  readonly #beginStream = () => {
    if (this.#hasEnded || this.#failure !== undefined) return
    this.#isStreaming = true
    const content = new StreamContent(this.#read(), this.#size)
    this.#resolve({ status: this.#status, headers: this.#headers, content })
  }

  #joinContent(): Buffer | StreamContent {
    if (this.#isHead) return new StreamContent(nothing(), this.#size)
    const [only = none] = this.#pieces
    return this.#pieces.length < 2 ? only : Buffer.concat(this.#pieces)
  }

  #fail(error: unknown): void {
    if (this.#hasEnded || this.#failure !== undefined) return
    this.#failure = error
    this.#reject(error)
    this.#wake?.()
  }

  /** A piece is valid until the next one is requested. */
  async *#read(): AsyncGenerator<Buffer> {
    const release = releaseBuffers()
    try {
      for (;;) {
        const piece = this.#pieces.shift()
        if (piece) {
          release(piece)
          yield piece
        } else if (this.#failure !== undefined) throw this.#failure
        else if (this.#hasEnded) return
        else await this.#more()
      }
    } finally {
      if (!this.#hasEnded) this.abort(new Error('The client left.'))
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
      this.#controller?.resume()
    })
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** As a reply writes them: a byte is a character. */
function decode(raw: readonly Buffer[]): string[] {
  return raw.map((bytes, index) =>
    index % 2 === 0 ? bytes.toString('latin1').toLowerCase() : bytes.toString('latin1'),
  )
}
