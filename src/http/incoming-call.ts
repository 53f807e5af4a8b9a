/**
 * A request that came over a socket, as the pipeline's call: its body is spooled (specification 5.4, 5.10), or read piece by
 * piece as it arrives, at the pace of its reader (36.6).
 */

import { Readable } from 'node:stream'
import { setImmediate } from '../base/timers.ts'
import type { BodyStream, Call, ReplyStream, SpooledBody } from '../model/call.ts'
import type { ClientCertificate } from '../model/certificate.ts'
import type { MemoryAccount } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import { wholeBody } from '../steps/read-message.ts'
import type { Body } from './body.ts'
import { type Edge, observeSafely } from './edge.ts'
import type { Request } from './head.ts'
import type { Peer } from './peer.ts'
import { openSpool, type Spool } from './spool.ts'
import type { Writer } from './writer.ts'

/** A body up to this size is read as a whole: most arrive together with the head. */
const wholeBytes = 64 * 1024

/** Number of pieces after which other work runs: megabytes of one-byte chunks take seconds to read. */
const piecesBetweenRests = 256

const unwanted = new Refusal('bodyMalformed', 'the body was no longer needed')
const noBody = wholeBody(Buffer.alloc(0))

/** What a call uses of its connection. */
export interface CallConnection {
  readonly edge: Edge
  readonly peer: Peer
  readonly writer: Writer
  /** Called right before the head is written. @returns its lines about the connection */
  markAnswered(keepsAlive: boolean): string
}

export class IncomingCall implements Call {
  readonly request: Request
  readonly connection: CallConnection
  readonly method: string
  readonly target: string
  readonly headers: Request['headers']
  readonly remoteAddress: string
  readonly isSecure: boolean
  readonly proxy: string | undefined
  /** The head of its reply was written, so no refusal can replace the reply. */
  isAnswered = false
  /** The stream of its reply. */
  stream: ReplyStream | undefined
  readonly #body: Body | undefined
  #memory: MemoryAccount | undefined
  /** The spooled body of the request. */
  #spool: Spool | undefined
  /** The collected stream of the reply. */
  #collected: Spool | undefined
  #controller: AbortController | undefined

  /** @param body undefined where it has none */
  constructor(request: Request, connection: CallConnection, body: Body | undefined) {
    const arrival = connection.peer.receive(request)
    this.request = request
    this.connection = connection
    this.method = request.method
    this.target = request.target
    this.headers = request.headers
    this.remoteAddress = arrival.remoteAddress
    this.isSecure = arrival.isSecure
    this.proxy = arrival.proxy
    this.#body = body
  }

  /** Created on first use, because most calls need none. */
  get memory(): MemoryAccount {
    this.#memory ??= this.connection.edge.memory.open()
    return this.#memory
  }

  /** Created on first use. */
  get #aborting(): AbortController {
    this.#controller ??= new AbortController()
    return this.#controller
  }

  get signal(): AbortSignal {
    return this.#aborting.signal
  }

  readCertificate(): ClientCertificate | string {
    return this.connection.peer.readCertificate(this.request)
  }

  async readBody(limit = Infinity): Promise<SpooledBody> {
    if (!this.#body) return noBody
    this.#body.limit(limit)
    this.#spool = this.#openSpool()
    return spoolBody(this.#body, this.#spool)
  }

  streamBody(limit = Infinity): BodyStream | undefined {
    if (!this.#body || (this.#body.size ?? Infinity) <= wholeBytes) return undefined
    this.#body.limit(limit)
    return streamBody(this.#body)
  }

  #openSpool(): Spool {
    return openSpool({
      memoryBytes: this.connection.edge.limits.spoolMemoryBytes,
      openAccount: () => this.memory.open(),
    })
  }

  /** Undefined for HTTP/1.1, which has chunks. */
  get collect(): Call['collect'] {
    if (this.request.version === 11) return undefined
    return async (pieces) => {
      const { body, write } = (this.#collected = this.#openSpool())
      for await (const piece of pieces) {
        if (!this.memory.holdInFiles(body.size + piece.length)) throw noRoom(body.size)
        await write(Buffer.from(piece))
      }
      return { size: body.size, read: () => body.pieces() }
    }
  }

  /** The client has left, or the grace time of a stop has ended. */
  abort(reason: Error): void {
    this.stream?.close(reason instanceof Refusal ? reason : undefined)
    if (this.signal.aborted) return
    this.#aborting.abort(reason)
    this.#body?.fail(reason instanceof Refusal ? reason : new Refusal('bodyMalformed', reason.message))
  }

  /** Called when the reply was written or never will be. */
  end(): void {
    this.#memory?.close()
    this.#collected?.body.close().catch(() => {}) // a file without a name: the system frees it in any case
  }

  /** Discards the body and its spool. */
  async close(): Promise<void> {
    this.#body?.fail(unwanted)
    await this.#spool?.body.close().catch((error: unknown) => {
      const message = 'The temporary file of a body could not be removed.'
      observeSafely(this.connection.edge.gateway, { kind: 'event', level: 'error', name: 'spool', message, error })
    })
  }
}

const noRoom = (bytes: number) =>
  new Refusal('overloaded', `no room for more than ${bytes} bytes of a stream in files (ig.limits.memory)`)

export function spoolBody(body: Body, spool: Spool): Promise<SpooledBody> {
  const { promise, resolve, reject } = Promise.withResolvers<SpooledBody>()
  const goOn = () => body.goOn()
  let pieces = 0
  body.readTo({
    write(bytes) {
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
