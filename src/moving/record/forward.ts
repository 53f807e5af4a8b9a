/** Forwards calls to the original byte for byte, and passes a copy to an observer (specification 38.1). */
import { setTimeout } from '../../base/timers.ts'
import type { Call, Reply, ReplyStream, StreamEnd } from '../../model/call.ts'
import { StreamContent } from '../../model/content/response-message.ts'
import { Refusal } from '../../model/refusal.ts'
import { toOriginForm } from '../../model/uri/target.ts'
import { explainUpstream } from '../../steps/handler/upstream/failure.ts'
import { type FlatHeaders, findHeader, readConnectionNames } from '../../steps/handler/upstream/flat-headers.ts'
import type { Originals } from '../../steps/handler/upstream/originals.ts'

export interface RecordedExchange {
  readonly call: Pick<Call, 'method' | 'target' | 'headers'>
  readonly status: number
  /** Flat, names in lower case. */
  readonly headers: FlatHeaders
}

/** Takes the body of one answer, if it is wanted. */
export interface BodyTaker {
  take(piece: Buffer): void
  /** @param isWhole false if the answer was cut, or the client left */
  end(isWhole: boolean): void
}

export interface ForwardOptions {
  readonly origin: string
  readonly originals: Originals
  /** Milliseconds until the answer begins. */
  readonly patience: number
  /** Undefined: the body is not wanted. */
  readonly observe: (exchanged: RecordedExchange) => BodyTaker | undefined
  /** Gets the reason of each call that the original did not answer as a whole. */
  readonly complain: (reason: string) => void
}

/** Headers of one connection: the next connection has its own (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Replaced for the connection to the original. `Expect` is answered here. */
const notSent: ReadonlySet<string> = new Set([...hopByHop, 'host', 'content-length', 'expect'])
const notReturned: ReadonlySet<string> = new Set([...hopByHop, 'content-length', 'date'])

export function openForwarder(options: ForwardOptions): (call: Call) => Promise<Reply> {
  const { origin, originals, patience, observe, complain } = options
  const explain = (error: unknown) => complain(explainUpstream(origin, error))
  return async (call) => {
    const stream = call.streamBody?.()
    const headers = writeRequestHeaders(call)
    if (stream?.size !== undefined) headers.push('content-length', String(stream.size))
    const body = stream ? stream.pieces() : await readWhole(call)
    const controller = new AbortController()
    const { signal } = call
    const leave = () => controller.abort(signal.reason)
    const reason = `${origin} did not begin to answer within ${patience} ms`
    const late = setTimeout(() => controller.abort(new Refusal('upstreamTimedOut', reason)), patience)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    try {
      const path = toOriginForm(call.target)
      const answer = await originals.send({ origin, method: call.method, path, headers, body }, controller.signal)
      const { status, content } = answer
      const taker = observe({ call, status, headers: answer.headers })
      const returned = writeResponseHeaders(answer.headers)
      if (content instanceof StreamContent)
        return {
          status,
          headers: returned,
          body: {
            bytes: none,
            isFinal: true,
            stream: openStream(content, taker, (error) => signal.aborted || explain(error)),
          },
        }
      if (content.length > 0) taker?.take(content)
      taker?.end(true)
      return { status, headers: returned, body: { bytes: content, isFinal: true } }
    } catch (error) {
      if (error instanceof Refusal) complain(error.message)
      throw error
    } finally {
      clearTimeout(late)
    }
  }
}

const none = Buffer.alloc(0)

async function readWhole(call: Call): Promise<Buffer | undefined> {
  const body = await call.readBody()
  return body.size === 0 ? undefined : body.bytes()
}

function writeRequestHeaders({ headers }: Call): string[] {
  const named = readConnectionNames(headers.connection)
  const flat: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || notSent.has(name) || named?.has(name)) continue
    if (typeof value === 'string') flat.push(name, value)
    else for (const each of value) flat.push(name, each)
  }
  return flat
}

function writeResponseHeaders(headers: FlatHeaders): string[] {
  const named = readConnectionNames(findHeader(headers, 'connection'))
  const flat: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (!notReturned.has(name) && !named?.has(name)) flat.push(name, headers[at + 1] ?? '')
  }
  return flat
}

function openStream(
  { source, size }: StreamContent,
  taker: BodyTaker | undefined,
  explain: (error: unknown) => void,
): ReplyStream {
  const { promise, resolve } = Promise.withResolvers<StreamEnd>()
  async function* read(): AsyncGenerator<Buffer> {
    let bytes = 0
    let isWhole = false
    try {
      for await (const piece of source as AsyncIterable<Buffer>) {
        taker?.take(piece)
        bytes += piece.length
        yield piece
      }
      isWhole = true
    } catch (error) {
      explain(error)
      throw error
    } finally {
      taker?.end(isWhole)
      resolve({ bytes, isWhole })
    }
  }
  return { size, read, close() {}, ended: promise }
}
