/**
 * The handler of an operation that another server answers (specification 36): one request to it for each call, with the
 * bytes of the call, and its answer as it came.
 */

import { setTimeout } from '../../base/timers.ts'
import type { Configuration } from '../../configuration/configuration.ts'
import { listGenerated } from '../../configuration/generated-operations.ts'
import { handlerKeyOf } from '../../configuration/list-references.ts'
import { makeUntried } from '../../explain/open-trial.ts'
import type { BodyStream } from '../../model/call.ts'
import type { RequestMessage } from '../../model/content/message.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import { type FilledResponse, StreamContent } from '../../model/content/response-message.ts'
import type { Handler, HandlerContext, HandlerResponse } from '../../model/handler.ts'
import { wantsBodies } from '../../model/observation.ts'
import type { CheckBody } from '../../model/operation-terms.ts'
import { Refusal } from '../../model/refusal.ts'
import type { Substitute } from '../../model/substitute.ts'
import { toOriginForm } from '../../model/uri/target.ts'
import type { Substitutes } from '../../project/substitutes.ts'
import type { Settings } from '../../settings.ts'
import type { CallContext, SubstituteParts } from '../../steps/handler/context.ts'
import { HandlerTimeout } from '../../steps/handler/failure.ts'
import type { SharedOptions } from '../../steps/handler/shared-parts.ts'
import { explainUpstream } from '../../steps/handler/upstream/failure.ts'
import { findHeader } from '../../steps/handler/upstream/flat-headers.ts'
import { openOriginals, socketBytes } from '../../steps/handler/upstream/originals.ts'
import { timeLimitOf } from '../../steps/handler/within-time.ts'
import { isPassThrough, type PassThrough, splitBase } from './configuration.ts'
import { findForeignOrigins } from './foreign-origins.ts'
import { writeRequestHeaders, writeResponseHeaders } from './headers.ts'
import { openShadowRows } from './rows.ts'
import { offerShadow, shadowedBytes } from './run-shadow.ts'
import { openShadows } from './shadows.ts'

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Bytes of memory for a body that is passed through: in each direction the bytes read from the socket, those buffered in
 * it, the piece that waits for the reader, and the piece that the reader has.
 */
const passingMemory = 4 * (64 * 1024 + socketBytes)

export const substitutes: Substitutes = {
  *make(configuration, { isTrial }) {
    for (const { handler, ...operation } of listPassed(configuration))
      if (isPassThrough(handler))
        yield [handlerKeyOf({ ...operation, handler }), isTrial ? NotPassed : makePassThrough(handler)]
  },
  checkDraft: (configuration, active, { passThrough: { origins = [] } }) =>
    findForeignOrigins(configuration, origins, active),
  openComparisons: openShadowRows,
}

function listPassed(configuration: Configuration) {
  return [...configuration.operations, ...listGenerated(configuration).map(({ definition }) => definition)]
}

const facts = { state: 'passedThrough' } as const

const NotPassed: Substitute = Object.assign(makeUntried('A trial passes no call to another server.'), facts)

/** Opens the connections of this process to other servers, and its shadows. */
export function openPassing({ settings, observe, store }: SharedOptions) {
  const originals = openOriginals(settings.limits)
  const isBusy = () => (store?.load().handlers?.waiting ?? 0) > 0
  const shadows = openShadows({ store: store && openShadowRows(store.databases), observe, isBusy })
  return {
    originals,
    shadows,
    async close() {
      await shadows.close()
      await originals.close()
    },
  }
}

function makePassThrough(stated: PassThrough): Substitute {
  const { origin, path: base } = splitBase(stated)
  const responseHeaders = (stated.responseHeaders ?? []).map((name) => name.toLowerCase())
  const requestHeaders = new Map((stated.requestHeaders ?? []).map((name) => [name.toLowerCase(), name]))
  const how = { ...stated, requestHeaders, responseHeaders }
  class PassThroughHandler implements Handler {
    onRequest(message: RequestMessage, context: HandlerContext): Promise<HandlerResponse> {
      return pass(message as SpooledRequest, context as CallContext)
    }
  }
  return Object.assign(PassThroughHandler, facts)

  async function pass(request: SpooledRequest, context: CallContext): Promise<HandlerResponse> {
    const { call } = request
    const target = toOriginForm(call.target)
    const parts = context.substituteParts
    const { operation, transaction, settings, shared } = parts
    const { originals, shadows } = shared.part(openPassing)
    const service = how.credentials === 'service' ? readService(settings, origin) : undefined
    const replaced = ` x-${settings.platformName}-dms-` // by the gateway's own (7.3)
    const leaveOut = (header: string) => {
      if (!header.includes(replaced)) shadows.leaveOut(operation.id, header)
    }
    const headers = writeRequestHeaders({ call, operation, transaction, how, service }, leaveOut)
    const stream = call.streamBody?.(operation.bodyLimit)
    if (stream?.size !== undefined) headers.push('content-length', String(stream.size))
    if (stream) request.openAccount().require(passingMemory)
    const read = stream ? passBody(stream, request, context, parts) : await readWhole(request, parts)
    const body = operation.checkBody ? await checkBeginning(read, operation.checkBody) : read
    const answer = await originals.send(
      { origin, method: call.method, path: base + target, headers, body },
      context.signal,
    )
    const kept = body === undefined ? Buffer.alloc(0) : body instanceof Buffer ? body : undefined
    const { status } = answer
    const content =
      how.shadow === undefined ? answer.content : offerShadow(request, parts, how.shadow, shadows, kept, answer)
    const response = context.broker.createMessage(request.operationName, 'response') as FilledResponse
    response.passed = {
      status,
      headers: writeResponseHeaders(answer.headers, how, leaveOut),
      content: content instanceof StreamContent ? explainCut(content, origin) : content,
      memory: passingMemory + (how.shadow === undefined ? 0 : shadowedBytes),
    }
    if (redirects.has(status))
      context.log.warning(
        `${origin} redirects to ${findHeader(answer.headers, 'location')}: a client that follows leaves the gateway`,
      )
    return response
  }
}

function readService({ passThrough }: Pick<Settings, 'passThrough'>, origin: string): string {
  const { serviceOrigin, serviceUser, servicePassword } = passThrough
  if (serviceOrigin === origin && serviceUser !== undefined && servicePassword !== undefined)
    return `Basic ${Buffer.from(`${serviceUser}:${servicePassword}`).toString('base64')}`
  const message = `credentials: service, but ig.passThrough.service.origin is ${serviceOrigin ?? 'not set'}, not ${origin}`
  throw new Refusal('upstreamFailed', message)
}

async function readWhole(
  request: SpooledRequest,
  { operation, settings }: SubstituteParts,
): Promise<Buffer | undefined> {
  const body = await request.call.readBody(operation.bodyLimit)
  if (body.size === 0) return undefined
  const bytes = await body.bytes()
  if (wantsBodies(settings.log.level, operation)) request.logBody(bytes)
  return bytes
}

type Body = Buffer | AsyncIterable<Buffer> | undefined

/** Reads as much of a body as its check needs. */
async function checkBeginning(body: Body, check: CheckBody): Promise<Body> {
  if (body === undefined || Buffer.isBuffer(body)) {
    check(body ?? Buffer.alloc(0), true)
    return body
  }
  const pieces = body[Symbol.asyncIterator]()
  let beginning = Buffer.alloc(0)
  try {
    for (let needsMore = true; needsMore; ) {
      const piece = await pieces.next()
      if (!piece.done) beginning = Buffer.concat([beginning, piece.value])
      needsMore = check(beginning, piece.done === true)
    }
  } catch (error) {
    await pieces.return?.()
    throw error
  }
  return (async function* () {
    yield beginning
    yield* { [Symbol.asyncIterator]: () => pieces }
  })()
}

/** At the pace of the other server, which must not pause for longer than the time limit of a handler. */
function passBody(
  stream: BodyStream,
  request: SpooledRequest,
  context: CallContext,
  { operation, settings }: SubstituteParts,
): AsyncIterable<Buffer> {
  const limit = timeLimitOf(operation, settings.limits)
  const late = () => context.abort(new HandlerTimeout(`The other server took nothing of the body for ${limit} ms.`))
  let watch = setTimeout(late, limit)
  let wantsFirst = wantsBodies(settings.log.level, operation)
  const { promise, resolve } = Promise.withResolvers<void>()
  request.received = promise
  return (async function* () {
    try {
      clearTimeout(watch)
      for await (const piece of stream.pieces()) {
        if (wantsFirst) wantsFirst = request.logBody(piece)
        watch = setTimeout(late, limit)
        yield piece
        clearTimeout(watch)
      }
    } finally {
      clearTimeout(watch)
      resolve()
    }
  })()
}

/** An answer that breaks off is cut for the client too, and the log says why. */
function explainCut({ source, size }: StreamContent, origin: string): StreamContent {
  async function* explained() {
    try {
      yield* source
    } catch (error) {
      throw new Error(explainUpstream(origin, error), { cause: error })
    }
  }
  return new StreamContent(explained(), size)
}
