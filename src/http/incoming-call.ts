/**
 * A request that came over a socket, as the pipeline's call: its body is spooled (specification 5.4, 5.10), or read piece by
 * piece as it arrives, at the pace of its reader (36.6).
 */
import { Readable } from 'node:stream'
import type { BodyStream, Call, ReplyFile, ReplyStream, SpooledBody } from '../model/call.ts'
import type { ClientCertificate } from '../model/certificate.ts'
import type { MemoryAccount } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import { wholeBody } from '../steps/read-message.ts'
import type { Body } from './body.ts'
import { type Edge, observeSafely } from './edge.ts'
import type { Request } from './head.ts'
import type { Peer } from './peer.ts'
import { openSpool, type Spool } from './spool.ts'

/** A body up to this size is read as a whole: most have come with the head. */
const wholeBytes = 64 * 1024

/** Megabytes of chunks of one byte each take seconds to read: after so many pieces, others have their turn. */
const piecesBetweenRests = 256

const unwanted = new Refusal('bodyMalformed', 'the body was no longer needed')
const noBody = wholeBody(Buffer.alloc(0))

export class IncomingCall implements Call {
  readonly request: Request
  readonly method: string
  readonly target: string
  readonly headers: Request['headers']
  readonly remoteAddress: string
  readonly isSecure: boolean
  readonly proxy: string | undefined
  /** The head of its reply is written: no other can take its place. */
  isAnswered = false
  /** Its reply's. */
  stream: ReplyStream | undefined
  readonly #edge: Edge
  readonly #peer: Peer
  readonly #body: Body | undefined
  #memory: MemoryAccount | undefined
  /** Of its body. */
  #spool: Spool | undefined
  /** Of its reply's. */
  #collected: Spool | undefined
  #aborted: Error | undefined
  #controller: AbortController | undefined

  /** @param body undefined where it has none */
  constructor(request: Request, peer: Peer, edge: Edge, body: Body | undefined) {
    const arrival = peer.receive(request)
    this.request = request
    this.method = request.method
    this.target = request.target
    this.headers = request.headers
    this.remoteAddress = arrival.remoteAddress
    this.isSecure = arrival.isSecure
    this.proxy = arrival.proxy
    this.#edge = edge
    this.#peer = peer
    this.#body = body
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
    if (this.#aborted) this.#controller.abort(this.#aborted)
    return this.#controller.signal
  }

  readCertificate(): ClientCertificate | string {
    return this.#peer.readCertificate(this.request)
  }

  get isHalfClosed(): boolean {
    return this.request.socket.readableEnded
  }

  /** At once where there is none. */
  readBody(limit = Infinity, take?: (piece: Uint8Array) => void): SpooledBody | Promise<SpooledBody> {
    if (!this.#body) return noBody
    this.#body.limit(limit)
    this.#spool = this.#openSpool()
    return spoolBody(this.#body, this.#spool, take)
  }

  streamBody(limit = Infinity): BodyStream | undefined {
    if (!this.#body || (this.#body.size ?? Infinity) <= wholeBytes) return undefined
    this.#body.limit(limit)
    return streamBody(this.#body)
  }

  #openSpool(): Spool {
    return openSpool({ memoryBytes: this.#edge.limits.spoolMemoryBytes, openAccount: () => this.memory.open() })
  }

  /** Undefined for HTTP/1.1, which has chunks. */
  get collect(): Call['collect'] {
    return this.request.version === 11 ? undefined : (pieces) => this.#collect(pieces)
  }

  async #collect(pieces: AsyncIterable<Buffer>): Promise<ReplyFile> {
    const { memory } = this
    const spool = this.#openSpool()
    this.#collected = spool
    for await (const piece of pieces) {
      if (!memory.holdInFiles(spool.body.size + piece.length)) throw new Refusal('overloaded', noRoom(spool.body.size))
      await spool.write(Buffer.from(piece))
    }
    return { size: spool.body.size, read: () => spool.body.pieces() }
  }

  /** The client has left, or the grace time of a stop has ended. */
  abort(reason: Error): void {
    this.stream?.close(reason instanceof Refusal ? reason : undefined)
    if (this.#aborted) return
    this.#aborted = reason
    this.#controller?.abort(reason)
    this.#body?.fail(reason instanceof Refusal ? reason : new Refusal('bodyMalformed', reason.message))
  }

  /** Its reply is written, or never will be. */
  end(): void {
    this.#memory?.close()
    this.#collected?.body.close()?.catch(() => {}) // a file without a name: the system frees it in any case
  }

  /** Nothing more of its body is wanted, and what was spooled is removed; undefined where there is nothing to wait for. */
  close(): Promise<void> | undefined {
    this.#body?.fail(unwanted)
    return this.#spool?.body.close()?.catch((error: unknown) => {
      const message = 'The temporary file of a body could not be removed.'
      observeSafely(this.#edge.gateway, { kind: 'event', level: 'error', name: 'spool', message, error })
    })
  }
}

const noRoom = (bytes: number) => `no room for more than ${bytes} bytes of a stream in files (ig.limits.memory)`

/** @param take gets each piece as it arrives */
export function spoolBody(body: Body, spool: Spool, take?: (piece: Uint8Array) => void): Promise<SpooledBody> {
  const { promise, resolve, reject } = Promise.withResolvers<SpooledBody>()
  const goOn = () => body.goOn()
  let pieces = 0
  body.readTo({
    write(bytes) {
      take?.(bytes)
      const writing = spool.write(bytes)
      pieces += 1
      if (writing) writing.then(goOn, (error) => body.fail(error))
      else if (pieces % piecesBetweenRests === 0) setImmediate(goOn)
      else return true
      return false
    },
    end: (failure) => (failure ? reject(failure) : resolve(spool.body)),
  })
  return promise
}

/** Nothing is spooled. */
export function streamBody(body: Body): BodyStream {
  let read = () => {
    read = () => body.goOn()
    body.readTo({
      write: (bytes) => pieces.push(bytes),
      end: (failure) => (failure ? pieces.destroy(failure) : pieces.push(null)),
    })
  }
  const pieces = new Readable({ highWaterMark: 1, read: () => read() })
  pieces.on('error', () => {}) // its reader may have gone
  return { size: body.size, pieces: () => pieces }
}
