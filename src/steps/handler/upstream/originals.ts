/** The connections of a process to the servers that operations are passed through to (specification 36.6, 36.7). */
import type { Readable } from 'node:stream'
import type { Agent } from 'undici'
import { openAddressRule } from '../../../base/refused-addresses.ts'
import { releaseBuffers } from '../../../base/release-buffers.ts'
import { Refusal } from '../../../model/refusal.ts'
import { HandlerTimeout } from '../failure.ts'
import { Breakers } from '../fetch/breakers.ts'
import { away } from '../fetch/retries.ts'
import { Exchange, type OriginalAnswer } from './exchange.ts'
import { explainUpstream } from './failure.ts'
import type { FlatHeaders } from './flat-headers.ts'

export interface OriginalRequest {
  readonly origin: string
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: FlatHeaders
  readonly body: Buffer | AsyncIterable<Buffer> | undefined
}

export interface Originals {
  /** Once: nothing is tried again, and no redirect followed. @throws Refusal upstreamFailed, overloaded; the reason of the signal */
  send(request: OriginalRequest, signal: AbortSignal): Promise<OriginalAnswer>
  close(): Promise<void>
}

export interface OriginalOptions {
  /** Bytes. */
  readonly maxHeaderBytes: number
  /** Whether an origin that fails is not asked for some seconds. Default: true. */
  readonly hasBreakers?: boolean
  /** Tests pass their own. */
  readonly clock?: () => number
}

/** Maximum number of connections of a process to one origin. */
const maxConnections = 256
/** With more, a socket stops reading; a read has up to 64 KiB. */
export const socketBytes = 16 * 1024
/** Milliseconds. */
const connectTimeout = 10_000

export function openOriginals(options: OriginalOptions): Originals {
  const { maxHeaderBytes, hasBreakers = true, clock = () => performance.now() } = options
  const breakers = hasBreakers ? new Breakers(clock) : undefined
  let agent: Agent | undefined
  const openAgent = async (): Promise<Agent> => {
    const Agent = await loadAgent()
    const { lookup } = openAddressRule(['linkLocal', 'unspecified'])
    agent ??= new Agent({
      connections: maxConnections,
      connect: { lookup, timeout: connectTimeout, highWaterMark: socketBytes } as Agent.Options['connect'],
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0, // the operation's own limits apply
      bodyTimeout: 0,
    })
    return agent
  }

  return {
    async send({ origin, method, path, headers, body }, signal) {
      if (breakers?.admit(origin) === false) {
        const reason = `${origin} failed several times in a row and is not asked for some seconds`
        throw new Refusal('overloaded', reason, { retryAfter: 5 })
      }
      const exchange = new Exchange(method === 'HEAD')
      const leave = () => exchange.abort(signal.reason)
      try {
        signal.throwIfAborted()
        signal.addEventListener('abort', leave)
        const through = agent ?? (await openAgent())
        const pieces = body && Symbol.asyncIterator in body ? releaseTaken(body) : body
        const sent = pieces as Readable | undefined // any iterable is sent, which its type does not say
        through.dispatch({ origin, method: method as 'GET', path, headers: headers as string[], body: sent }, exchange)
        const answer = await exchange.answer
        if (away.has(answer.status)) breakers?.failed(origin)
        else breakers?.succeeded(origin)
        return answer
      } catch (error) {
        const isOurs = error instanceof Refusal || (signal.aborted && !(signal.reason instanceof HandlerTimeout))
        if (isOurs) breakers?.gaveUp(origin)
        else breakers?.failed(origin)
        if (error instanceof Refusal || signal.aborted) throw error
        throw new Refusal('upstreamFailed', explainUpstream(origin, error), { cause: error })
      }
    },
    async close() {
      await agent?.destroy()
    },
  }
}

/** Most projects pass nothing through; and all of undici, with its `fetch`, would take 15 MB more than this part of it. */
async function loadAgent(): Promise<new (options: Agent.Options) => Agent> {
  const file: string = 'undici/lib/dispatcher/agent.js' // no types are published for it
  return (await import(file)).default
}

/** The memory of a piece is free as soon as the socket has taken it. */
async function* releaseTaken(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const release = releaseBuffers()
  const sent: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    yield piece
    sent.push(piece)
    bytes += piece.length
    // Most that the socket has not taken when the next piece is requested: it waits for more, and so for a long piece
    const untaken = piece.length < socketBytes ? socketBytes : 0
    for (let [first] = sent; first && bytes - first.length >= untaken; [first] = sent) {
      bytes -= first.length
      release(first)
      sent.shift()
    }
  }
}
