/** The body that a handler yields while it is sent: pulled on demand, within its time and its size (specification 5.30 to 5.34). */

import { setImmediate as breathe } from 'node:timers/promises'
import { setImmediate, setTimeout } from '../../base/timers.ts'
import {
  emptyBody,
  type OperationResponse,
  type ReplyBody,
  type ReplyStream,
  type StreamEnd,
} from '../../model/call.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import { describe } from '../../model/content/response-headers.ts'
import type { StreamContent } from '../../model/content/response-message.ts'
import { Refusal } from '../../model/refusal.ts'
import { type Chunk, ChunkJoiner } from './chunks.ts'
import { ClientLeft, HandlerTimeout } from './failure.ts'

export interface StreamParts {
  /** Milliseconds. */
  readonly time: number
  /** For the caller as long as nothing has been sent, and for the log in any case. */
  fail(error: unknown, what: string): Refusal
  /** It ends early, and so should everything that the source waits for. */
  abort(reason: Error): void
  /** The source reads no more. Never rejects; has an effect once. */
  release(): Promise<void>
  complain(message: string, error?: unknown): void
}

type Result = IteratorResult<Chunk>

/** Pulled in a row before other calls go on: a source may never wait for anything. */
const chunksInARow = 256
const due = Symbol('due')
const nothing = Buffer.alloc(0)

export class HandlerStream implements ReplyStream {
  readonly size: number | undefined
  readonly ended: Promise<StreamEnd>
  readonly #source: StreamContent['source']
  readonly #iterator: AsyncIterator<Chunk>
  readonly #parts: StreamParts
  readonly #timer: NodeJS.Timeout
  readonly #reportEnd: (end: StreamEnd) => void
  /** Requested, and not used yet. */
  #pulled: Promise<Result> | undefined
  #giveUp: ((reason: Error) => void) | undefined
  readonly #pieces = this.#join()
  #first: IteratorResult<Buffer> | undefined
  #bytes = 0
  #hasEnded = false
  #failure: Refusal | undefined

  constructor({ source, size }: StreamContent, parts: StreamParts) {
    const { promise, resolve } = Promise.withResolvers<StreamEnd>()
    this.size = size
    this.ended = promise
    this.#reportEnd = resolve
    this.#source = source
    this.#iterator = source[Symbol.asyncIterator]()
    this.#parts = parts
    const late = new HandlerTimeout(`The stream exceeded its time of ${parts.time} ms.`)
    this.#timer = setTimeout(() => this.close(this.#fail(late)), parts.time)
  }

  /** Pulls the first piece. @throws Refusal */
  async begin(): Promise<void> {
    this.#first = await this.#pieces.next()
  }

  async *read(): AsyncGenerator<Buffer> {
    try {
      if (!this.#first?.done) yield this.#first?.value ?? nothing
      yield* this.#pieces
    } finally {
      this.close()
    }
  }

  /** Sends what the source yields within a turn of the event loop, or a full block, so a slow source delays no client. */
  async *#join(): AsyncGenerator<Buffer> {
    const joiner = new ChunkJoiner()
    let held: Promise<typeof due> | undefined // as long as something is; an empty chunk, too: it sends the status
    try {
      for (let chunks = 1; ; ) {
        this.#pulled ??= this.#pull()
        const result: Result | typeof due = await (held ? Promise.race([held, this.#pulled]) : this.#pulled)
        if (result === due) {
          held = undefined
          yield this.#count(joiner.take())
          continue
        }
        this.#pulled = undefined
        if (result.done) break
        for (let rest = joiner.put(result.value); rest !== undefined; rest = joiner.put(rest))
          yield this.#count(joiner.take())
        held ??= endOfTurn()
        if (chunks % chunksInARow === 0) await breathe()
        chunks += 1
      }
      await this.#parts.release() // a client that has the whole may call again, and finds it free
      const last = this.#count(joiner.end())
      if (this.size !== undefined && this.#bytes < this.size)
        throw new Error(`The stream ended after ${this.#bytes} of its ${this.size} bytes`)
      yield last
      this.#end({ isWhole: true })
    } catch (error) {
      const failure = this.#fail(error)
      this.close(failure)
      throw failure
    }
  }

  close(failure?: Refusal): void {
    if (this.#hasEnded) return
    const reason = failure ?? new ClientLeft('The client left.')
    this.#parts.abort(reason)
    this.#giveUp?.(reason)
    this.#giveBack()
    this.#end({ isWhole: false, failure })
  }

  /** Nothing of it is to be sent. */
  discard(): void {
    if (this.#hasEnded) return
    this.#giveBack()
    this.#end({ isWhole: true })
  }

  #pull(): Promise<Result> {
    if (this.#hasEnded) throw new ClientLeft('The client left.')
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#giveUp = reject
    const next = new Promise<Result>((pulled) => pulled(this.#iterator.next()))
    next.then(requireChunk).then(resolve, (error) => reject(this.#fail(error)))
    return promise
  }

  #fail(error: unknown): Refusal {
    if (!this.#failure) {
      const isOfCaller = error instanceof Refusal && this.#bytes === 0 // it can still be answered
      const what = this.#bytes === 0 ? 'the stream failed' : `the stream failed after ${this.#bytes} bytes`
      this.#failure = isOfCaller ? error : this.#parts.fail(error, what)
    }
    return this.#failure
  }

  #count(piece: Buffer): Buffer {
    if (this.size !== undefined && this.#bytes + piece.length > this.size)
      throw new Error(`The stream yields more than its ${this.size} bytes`)
    this.#bytes += piece.length
    return piece
  }

  /** A generator that still waits ends later, and a stream of Node that was never read ignores `return`. */
  #giveBack(): void {
    const returned = new Promise((resolve) => resolve(this.#iterator.return?.()))
    returned.catch((error) => this.#parts.complain('the source of the stream failed when it was ended', error))
    if ('destroy' in this.#source && typeof this.#source.destroy === 'function') this.#source.destroy()
  }

  #end({ isWhole, failure }: Omit<StreamEnd, 'bytes'>): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    setImmediate(() => void this.#parts.release()) // behind what a generator does as it ends
    this.#reportEnd({ bytes: this.#bytes, isWhole, failure })
  }
}

/** The response around a stream. */
export interface StreamHead {
  readonly status: number
  /** Flat: name, value… */
  readonly headers: readonly string[]
  readonly isNotModified: boolean
}

/**
 * Answers with the stream after `conclude` has committed or rolled back and the first piece has arrived, so that an
 * earlier error can still be refused. @throws Refusal
 */
export async function concludeStream(
  stream: HandlerStream,
  { status, headers, isNotModified }: StreamHead,
  request: SpooledRequest,
  conclude: () => Promise<boolean | undefined>,
): Promise<OperationResponse> {
  try {
    const isReplayable = await conclude()
    const isEmpty = status === 204 || status === 205 || isNotModified
    const body = isEmpty ? emptyBody : await beginBody(stream, request)
    if (isEmpty) stream.discard()
    return { status, headers, body, isConditional: isNotModified, isReplayable }
  } catch (error) {
    stream.close(error instanceof Refusal ? error : undefined) // a generator that has not begun would not notice its end
    throw error
  }
}

async function beginBody(stream: HandlerStream, request: SpooledRequest): Promise<ReplyBody> {
  const { bytes } = emptyBody
  if (request.isHead) {
    stream.discard()
    return { bytes, stream }
  }
  const { clientSignal } = request
  const leave = () => stream.close(clientSignal.reason instanceof Refusal ? clientSignal.reason : undefined)
  clientSignal.addEventListener('abort', leave)
  try {
    if (clientSignal.aborted) leave()
    await stream.begin()
    const file = stream.size === undefined ? await request.collect?.(stream.read()) : undefined
    return file ? { bytes, file } : { bytes, stream }
  } finally {
    clientSignal.removeEventListener('abort', leave) // from here on its reader ends it
  }
}

function requireChunk(result: Result): Result {
  const { done, value } = result
  if (done || typeof value === 'string' || value instanceof Uint8Array) return result
  throw new TypeError(`A stream yields strings and bytes, not ${describe(value)}`)
}

function endOfTurn(): Promise<typeof due> {
  return new Promise((resolve) => setImmediate(resolve, due))
}
