/** Receives a request body into the spool, within its limits of size and time (specification 4.10, 5.10, 7.6). */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { SpooledBody } from '../model/call.ts'
import type { OpenAccount } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import { mostFields } from './framing.ts'
import { holdReading, resumeReading } from './hold-reading.ts'
import { emptySpool, openSpool } from './spool.ts'
import { inSlice } from './turn.ts'

export interface BodyReader {
  readonly body: Promise<SpooledBody>
  /** Bytes of the connection that had come with its latest piece: what comes behind is its trailers. */
  readonly seen: number
  /** Ends the reading; without effect once all has arrived. */
  fail(refusal: Refusal): void
  /** Removes what was spooled. */
  close(): Promise<void>
}

type BodyLimits = Pick<Limits, 'maxBodyBytes' | 'maxHeaderBytes' | 'spoolMemoryBytes' | 'bodyTimeout'>

/** Bytes a second, over each stretch of `bodyTimeout`: a body that trickles in slower is a body that does not come. */
const slowestRate = 1024
/** Megabytes of chunks of one byte each take seconds to read: after so many pieces, others have their turn. */
const piecesBetweenRests = 256

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** @param begin asks the client for the body, where it waits to be asked */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  begin: () => void,
  openAccount?: OpenAccount,
): BodyReader {
  if (!hasBody(request)) return settled(Promise.resolve(emptySpool))
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBodyBytes) {
    return settled(Promise.reject(tooLarge(limits)))
  }
  begin()
  return receive(request, limits, openAccount)
}

function receive(request: IncomingMessage, limits: BodyLimits, openAccount: OpenAccount | undefined): BodyReader {
  const { promise, resolve, reject } = Promise.withResolvers<SpooledBody>()
  const spool = openSpool({ memoryBytes: limits.spoolMemoryBytes, openAccount })
  let writing: Promise<void> | undefined
  let pieces = 0
  let isSettled = false
  let seen = request.socket.bytesRead

  function settle() {
    isSettled = true
    clearInterval(watch)
    request.off('data', onData)
    request.off('end', onEnd)
  }
  function fail(error: unknown) {
    if (isSettled) return
    settle()
    request.resume() // the rest is thrown away as it comes
    reject(error)
  }
  function onData(chunk: Buffer) {
    if (spool.size + chunk.length > limits.maxBodyBytes) return fail(tooLarge(limits))
    writing = spool.write(chunk)
    seen = request.socket.bytesRead
    pieces += 1
    if (pieces % piecesBetweenRests === 0) rest(request.socket)
    if (!writing) return
    request.pause()
    writing.then(() => !isSettled && request.resume(), fail)
  }
  function onEnd() {
    const { rawTrailers } = request
    if (sizeOf(rawTrailers) > limits.maxHeaderBytes || rawTrailers.length > 2 * mostFields) {
      return fail(new Refusal('headersTooLarge', 'trailers over the limit'))
    }
    Promise.resolve(writing).then(() => {
      if (isSettled) return
      settle()
      resolve(spool.body)
    }, fail)
  }

  let before = 0
  const watch = setInterval(() => {
    const isTooSlow = spool.size - before < (slowestRate * limits.bodyTimeout) / 1000
    before = spool.size
    if (isTooSlow) inSlice(() => fail(new Refusal('bodyMalformed', 'body not received in time', { detail: tooSlow })))
  }, limits.bodyTimeout)
  request.on('data', onData)
  request.on('end', onEnd)
  async function close() {
    if (!isSettled) fail(new Refusal('bodyMalformed', 'nobody waits for the body any more'))
    await writing?.catch(() => {}) // it has the file until then
    await spool.body.close()
  }
  return {
    body: promise,
    get seen() {
      return seen
    },
    fail,
    close,
  }
}

function sizeOf(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((size, text) => size + text.length + 2, 0)
}

/** What the parser has is still delivered: a paused request would queue it, and a Buffer costs more than its byte. */
function rest(socket: Socket): void {
  holdReading(socket)
  setImmediate(resumeReading, socket)
}

function settled(body: Promise<SpooledBody>): BodyReader {
  return { body, seen: 0, fail() {}, close: async () => {} }
}

const tooSlow = 'The request body did not arrive in time.'

export function tooLarge({ maxBodyBytes }: Pick<BodyLimits, 'maxBodyBytes'>): Refusal {
  const detail = `The request body is larger than ${maxBodyBytes} bytes.`
  return new Refusal('bodyTooLarge', 'body over the limit', { detail })
}
