/**
 * One run of a shadow handler, and its comparison with the other server's answer (specification 36.15, 36.16). The
 * handler runs as for a call, but without effects: its writes are rolled back, and the REST cache is not touched.
 */
import { decompress } from '../../base/decompress.ts'
import type { OperationResponse } from '../../model/call.ts'
import { type ComparedAnswer, comparedHeaders, findDifferences } from '../../model/content/differences.ts'
import { SpooledRequest } from '../../model/content/request-message.ts'
import { StreamContent } from '../../model/content/response-message.ts'
import type { HandlerClass } from '../../model/handler.ts'
import type { Observation } from '../../model/observation.ts'
import type { Operation } from '../../model/operation.ts'
import { Refusal } from '../../model/refusal.ts'
import { hideSecretParameters } from '../../model/secret-name.ts'
import type { HandlerDependencies, SubstituteParts } from '../../steps/handler/context.ts'
import { forTrial } from '../../steps/handler/shared-parts.ts'
import type { OriginalAnswer } from '../../steps/handler/upstream/exchange.ts'
import { timeLimitOf } from '../../steps/handler/within-time.ts'
import { wholeBody } from '../../steps/read-message.ts'
import { runHandler } from '../../steps/run-handler.ts'
import type { Shadows } from './shadows.ts'

/** Maximum size of a body and of an answer: longer ones are not compared. */
export const shadowedBytes = 256 * 1024

/**
 * Offers the call to the shadow of its operation, once the other server's answer is whole.
 * @param reference of the shadow's class @param body undefined if it was too long to be kept
 * @returns the content, for the caller
 */
export function offerShadow(
  request: SpooledRequest,
  parts: SubstituteParts,
  reference: string,
  shadows: Shadows,
  body: Buffer | undefined,
  answer: OriginalAnswer,
): OriginalAnswer['content'] {
  const { operation, catalog } = parts
  const handler = catalog.handlers.get(reference) as HandlerClass
  const { templates, fault, fingerprint } = operation
  const shadow: Operation = {
    ...operation,
    templates,
    fault,
    fingerprint,
    handler,
    substitute: undefined,
    forwards: false,
  }
  const { content } = answer
  const offer = (received: Buffer | undefined) => {
    const original = received && readOriginal(answer, received)
    if (!body || !original) return shadows.offer(operation.id)
    shadows.offer(operation.id, (signal, outside) =>
      runShadow({ request, parts, shadow, body, original, signal, outside }),
    )
  }
  if (content instanceof StreamContent) return watch(content, offer)
  offer(content)
  return content
}

/** Undefined for a part, for what the client has already, and for what cannot be decoded. */
function readOriginal({ status, headers: flat }: OriginalAnswer, received: Buffer): ComparedAnswer | undefined {
  const headers = nameHeaders(flat)
  const body = decompress(received, headers['content-encoding'], shadowedBytes)
  return body && status !== 304 && status !== 206 ? { status, headers, body } : undefined
}

function watch({ source, size }: StreamContent, offer: (received: Buffer | undefined) => void): StreamContent {
  async function* watched() {
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of source as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes <= shadowedBytes) pieces.push(Buffer.from(piece))
      else pieces.length = 0
      yield piece
    }
    offer(bytes <= shadowedBytes ? Buffer.concat(pieces) : undefined)
  }
  return new StreamContent(watched(), size)
}

interface Run {
  readonly request: SpooledRequest
  readonly parts: SubstituteParts
  readonly shadow: Operation
  readonly body: Buffer
  readonly original: ComparedAnswer
  readonly signal: AbortSignal
  readonly outside: (what: string) => void
}

async function runShadow({ request, parts, shadow, body, original, signal, outside }: Run) {
  const { operator, catalog, transaction, settings, handlerDependencies } = parts
  const { call, target, uri } = request
  const { method } = call
  const began = Date.now()
  const message = new SpooledRequest({
    call: {
      method,
      target: call.target,
      headers: call.headers,
      isSecure: call.isSecure,
      remoteAddress: call.remoteAddress,
      signal,
      readBody: async () => wholeBody(body),
    },
    target,
    operation: shadow,
    uri,
    transactionId: transaction.id,
    body: wholeBody(body),
    limits: settings.limits,
    platformName: settings.platformName,
  })
  const own = {
    ...transaction,
    id: transaction.id,
    trace: undefined,
    timeline: undefined,
    releases: [],
    message: undefined,
  }
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeLimitOf(shadow, settings.limits))])
  let differences: readonly string[]
  try {
    const response = await runHandler(
      message,
      shadow,
      operator,
      own,
      catalog,
      leaveNothing(handlerDependencies, shadow, outside),
    )
    const answer = await readAnswer(response, within)
    if (!answer) return undefined
    const isHead = method === 'HEAD'
    const sides = [original, answer].map((side) => (isHead ? { ...side, body: Buffer.alloc(0) } : side))
    differences = findDifferences(sides[0] as ComparedAnswer, sides[1] as ComparedAnswer, rules).map(({ what }) => what)
  } catch (error) {
    if (signal.aborted) return undefined
    const code = error instanceof Refusal ? error.code : 'unexpected'
    differences = [`answer (${code})`]
  }
  if (differences.length === 0) return 'same'
  const url = settings.log.masking === 'known' ? hideSecretParameters(call.target) : '[masked]'
  return { time: began, transactionId: transaction.id, call: `${method} ${url}`, differences }
}

const tooLong = new Refusal('handlerTimedOut', 'the stream of a shadow has no end within the time of its operation')
const rules = { masks: new Set<string>(), headers: comparedHeaders }

/** What a handler of this operation does stays in its transaction, which is rolled back. */
function leaveNothing(
  gateway: HandlerDependencies,
  { id }: Operation,
  outside: (what: string) => void,
): HandlerDependencies {
  const trial = forTrial({ ...gateway, now: gateway.now })
  const { shared, store } = trial
  const note = (observation: Observation) => {
    if (observation.kind !== 'note') return
    gateway.observe({ ...observation, level: 'debug', message: `Shadow of ${id}: ${observation.message}` })
  }
  return {
    ...trial,
    limits: undefined as never,
    observe: note,
    restCache: { deleteOperation: async () => true as never },
    shared: {
      ...shared,
      fetch: (...call) => {
        outside('context.fetch')
        return shared.fetch(...call)
      },
      resource: (wanted) => {
        outside('context.resource')
        return shared.resource(wanted)
      },
      afterCommit: {
        ...shared.afterCommit,
        begin: () => outside('context.afterCommit, which a shadow does not run'),
      },
    },
    store: {
      openSnapshot: (options) => store.openSnapshot(options),
      openHandlerTransaction(options) {
        const opened = store.openHandlerTransaction(options)
        return {
          database: opened.database,
          get holdsLocks() {
            return opened.holdsLocks
          },
          get isConflict() {
            return opened.isConflict
          },
          touch: () => opened.touch(),
          commit: () => opened.rollback(),
          rollback: () => opened.rollback(),
        }
      },
    },
  }
}

/** A stream may never end, so it is closed after the time limit, or when a call waits. */
async function readAnswer(
  { status, headers: flat, body }: OperationResponse,
  within: AbortSignal,
): Promise<ComparedAnswer | undefined> {
  const headers = nameHeaders(flat)
  const source = body.stream ?? body.file
  if (!source) return { status, headers, body: body.bytes }
  const close = () => body.stream?.close(tooLong)
  if (within.aborted) close()
  within.addEventListener('abort', close)
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of source.read()) {
    bytes += piece.length
    if (bytes > shadowedBytes) return undefined
    pieces.push(Buffer.from(piece))
  }
  return { status, headers, body: Buffer.concat(pieces) }
}

/** The headers by name; of several with one name, all. */
function nameHeaders(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) // a header may be named constructor
  for (let at = 0; at < flat.length; at += 2) {
    const name = (flat[at] ?? '').toLowerCase()
    headers[name] = headers[name] === undefined ? (flat[at + 1] ?? '') : `${headers[name]}, ${flat[at + 1]}`
  }
  return headers
}
