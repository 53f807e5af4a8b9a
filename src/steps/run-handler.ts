/**
 * Runs the operation's handler (specification 5): one instance, one transaction and one time limit per call. Its writes
 * are committed before there is a response, and rolled back in every other case.
 */

import type { Catalog } from '../configuration/catalog.ts'
import { bodyOf, emptyBody, type OperationResponse, type ReplyBody } from '../model/call.ts'
import { Answer } from '../model/content/answer.ts'
import { hasValidators } from '../model/content/conditional.ts'
import type { SpooledRequest } from '../model/content/request-message.ts'
import type { ResponseMessage } from '../model/content/response.ts'
import {
  FilledResponse,
  type PassedAnswer,
  type ResponseContent,
  StreamContent,
} from '../model/content/response-message.ts'
import type { Handler } from '../model/handler.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import type { Transaction } from '../model/transaction.ts'
import type { FinalStatement } from '../store/handler-transaction.ts'
import type { WorkAfterCommit } from './handler/after-commit.ts'
import { answerFailure } from './handler/answer-failure.ts'
import { CallContext, type HandlerDependencies } from './handler/context.ts'
import { asError, failed, failedByStatus } from './handler/failure.ts'
import { findCacheExpiry } from './handler/find-cache-expiry.ts'
import { close, complain, type HandlerRun, isWithin, type MakeStoreStatement } from './handler/run.ts'
import { runWhileConflicts } from './handler/run-while-conflicts.ts'
import { concludeStream, HandlerStream, type StreamHead } from './handler/stream.ts'
import { explainAbort, handlerTimeLimit, type TimeLimit, timeLimitOf, withinTime } from './handler/within-time.ts'

/** Characters or bytes. Up to this size no memory is reserved: the socket buffers it at once. */
const smallReply = 64 * 1024
/** A piece that is being filled, and one that the socket may hold. */
const streamMemory = 128 * 1024

/**
 * @param request closed at the end of the call in every case
 * @param storeInTransaction stores the response with the handler's writes, if the call has an Idempotency-Key
 */
export async function runHandler(
  request: SpooledRequest,
  operation: Operation,
  operator: Operator,
  transaction: Transaction,
  catalog: Catalog,
  gateway: HandlerDependencies,
  storeInTransaction?: MakeStoreStatement,
): Promise<OperationResponse> {
  const begin = (): HandlerRun => {
    const context = new CallContext(operation, operator, transaction, catalog, gateway, request)
    return {
      request,
      operation,
      operator,
      transaction,
      catalog,
      gateway,
      storeInTransaction,
      context,
      isStreaming: false,
    }
  }
  const limit = handlerTimeLimit(operation, gateway.settings.limits)
  if (operation.transaction === 'write') return runWhileConflicts(begin, limit, runOnce)
  const run = begin()
  try {
    return await runOnce(run, limit)
  } finally {
    await close(run)
  }
}

async function runOnce(run: HandlerRun, limit: TimeLimit): Promise<OperationResponse> {
  const { request, operation, gateway, context } = run
  let handler: Handler | undefined
  try {
    gateway.limits?.load.requireTime() // calls that began before this one may have taken long
    handler = new operation.handler()
    const returned = await withinTime(request, context, limit, handler.onRequest(request, context))
    return await conclude(run, requireResponse(run, returned))
  } catch (error) {
    if (error instanceof Answer && error.status < 300) return await commitAnswer(run, error)
    await context.rollback()
    if (context.isConflict) throw error
    if (error instanceof Answer) return writeAnswer(run, error)
    if (error instanceof Refusal) throw error // of the body, the store or a stop, or thrown by the handler: it says what the caller gets
    return await answerFailure(run, handler, asError(error))
  }
}

function requireResponse({ operation, transaction }: HandlerRun, response: ResponseMessage | Answer): FilledResponse {
  if (response instanceof Answer) throw response
  if (response instanceof FilledResponse && response.transactionId === transaction.id) return response
  const message = 'onRequest returned no message that context.broker.createMessage made for this request'
  throw failed(operation, new Error(message))
}

/** Commits, or rolls back for a 4xx; the response may be sent afterwards. */
async function conclude(run: HandlerRun, response: FilledResponse): Promise<OperationResponse> {
  const { context } = run
  const status = response.httpResponseCode
  const { content, rawBody, passed } = response
  if (passed) return concludePassed(run, passed)
  if (response.isConditional && !(content instanceof StreamContent)) response.setHeader('accept-ranges', 'bytes')
  const headers = ['content-type', response.contentType, ...response.headers]
  if (rawBody && isWithin(status, 200, 599)) return concludeRaw(run, { status, headers, body: rawBody })
  if (!isWithin(status, 200, 299) && !isWithin(status, 400, 499)) throw failedByStatus(run.operation, status)
  if (content instanceof StreamContent) {
    const { isNotModified } = response
    return streamBody(run, { status, headers, isNotModified, memory: streamMemory }, content, response)
  }
  const isEmpty = status === 204 || status === 205 || content === ''
  const body = isEmpty ? emptyBody : encode(run, content)
  if (status >= 400) {
    await context.rollback()
    return { status, headers, body }
  }
  const isReplayable = await commit(run, run.storeInTransaction?.(status, headers, body))
  const cacheExpires = findCacheExpiry(run, context, response)
  const isConditional = response.isConditional || (cacheExpires !== undefined && hasValidators(headers))
  return { status, headers, body, cacheExpires, isConditional, isReplayable }
}

/** A substitute writes nothing. */
async function concludeRaw(run: HandlerRun, response: OperationResponse): Promise<OperationResponse> {
  const { status, headers, body } = response
  if (!run.storeInTransaction || status > 299) return response
  return { ...response, isReplayable: await commit(run, run.storeInTransaction(status, headers, body)) }
}

async function commitAnswer(run: HandlerRun, answer: Answer): Promise<OperationResponse> {
  try {
    const response = writeAnswer(run, answer)
    const isReplayable = await commit(run, run.storeInTransaction?.(response.status, response.headers, response.body))
    return { ...response, isReplayable }
  } catch (error) {
    await run.context.rollback()
    throw error
  }
}

/** Without a content type if there is no content. */
function writeAnswer(run: HandlerRun, answer: Answer): OperationResponse {
  const { operation, transaction, gateway } = run
  const { status } = answer
  try {
    const response = fillAnswer(answer, operation, transaction.id, gateway.settings.platformName)
    const isEmpty = answer.content === undefined || status === 204 || status === 205
    if (isEmpty) return { status, headers: response.headers, body: emptyBody }
    const headers = ['content-type', response.contentType, ...response.headers]
    return { status, headers, body: encode(run, response.content as ResponseContent) }
  } catch (error) {
    throw error instanceof Refusal ? error : failed(operation, asError(error), 'the Answer cannot be sent')
  }
}

/** Another server's answer, whatever its status: this gateway has written nothing. */
async function concludePassed(run: HandlerRun, { status, headers, content, memory }: PassedAnswer) {
  const head = { status, headers, isNotModified: false, memory }
  const streamed = content instanceof StreamContent ? await streamBody(run, head, content) : undefined
  const body = streamed ? { ...streamed.body, isFinal: true } : { bytes: content as Buffer, isFinal: true }
  return { status, headers, body }
}

/** @param made by a handler */
async function streamBody(
  run: HandlerRun,
  head: StreamHead & { readonly memory: number },
  content: StreamContent,
  made?: FilledResponse,
) {
  const { request, operation, gateway, context } = run
  const stream = new HandlerStream(content, {
    time: gateway.settings.limits.streamTime,
    fail: (error, what) => failed(operation, asError(error), what),
    abort: (reason) => context.abort(reason),
    async release() {
      if (!run.isStreaming) return // it did not begin
      run.isStreaming = false
      await Promise.all([context.closeSnapshot(), close(run)])
    },
    complain: (message, error) => complain(run, `${operation.id}: ${message}`, error),
  })
  if (made?.cacheExpires !== undefined) warnOfCaching(run)
  return concludeStream(stream, head, request, async () => {
    requireRoom(run, head.memory, 'bytes') // a refusal ends the source, which may hold an open file
    let isReplayable: boolean | undefined
    if (head.status >= 400) await context.rollback()
    else isReplayable = await commit(run, made && run.storeInTransaction?.(head.status, made.headers, undefined))
    run.isStreaming = true
    context.conclude()
    return isReplayable
  })
}

function warnOfCaching({ operation, transaction, gateway }: HandlerRun): void {
  const message = `The handler of ${operation.id} made a stream cacheable: a stream is never cached.`
  gateway.observe({ kind: 'note', level: 'warning', transaction, message })
}

/** Before the commit: a reply without room in memory leaves nothing behind. */
function encode(run: HandlerRun, content: ResponseContent): ReplyBody {
  if (content.length > smallReply)
    requireRoom(run, content.length, typeof content === 'string' ? 'characters' : 'bytes')
  return typeof content === 'string' ? bodyOf(content) : { bytes: content }
}

function requireRoom({ request, operation }: HandlerRun, size: number, unit: 'characters' | 'bytes'): void {
  const memory = request.replyMemory
  if (memory?.hold(size) !== false) return
  const reason = `no memory for the response of ${size} ${unit} of ${operation.id}`
  throw new Refusal('overloaded', `${reason} (ig.limits.memory: ${memory.budget.total})`)
}

/** @returns whether the final statement has stored the response */
async function commit(run: HandlerRun, final?: FinalStatement): Promise<boolean | undefined> {
  const { context } = run
  if (!context.finish() && !final) return undefined
  const { clientSignal } = run.request
  if (clientSignal.aborted) throw explainAbort(clientSignal.reason) // also of a handler that never waited
  try {
    await context.commit(final)
  } catch (error) {
    if (error instanceof Refusal) throw error // store outage: nothing is stored
    throw failed(run.operation, asError(error), 'the commit failed')
  }
  for (const { operationId, operator } of context.deletedCaches) {
    await run.gateway.restCache
      .deleteOperation(operationId, operator)
      .catch((error) => complain(run, `The cached responses of ${operationId} could not be deleted`, error))
  }
  const work = context.workAfterCommit
  if (work) beginAfterCommit(run, work)
  return final && true
}

function beginAfterCommit(run: HandlerRun, work: readonly WorkAfterCommit[]): void {
  const { context } = run
  run.gateway.shared.afterCommit.begin(work, {
    limit: timeLimitOf(run.operation, run.gateway.settings.limits),
    abort: (reason) => run.isStreaming || context.abort(reason), // the signal is the stream's then
    note: (level, message, error) =>
      run.gateway.observe({
        kind: 'note',
        level,
        transaction: run.transaction,
        message,
        ...(error !== undefined && { error }),
      }),
  })
}

/** The response message of an Answer (specification 5.23). @throws TypeError for a header that a handler cannot set */
function fillAnswer(answer: Answer, operation: Operation, transactionId: string, platformName: string) {
  const response = new FilledResponse(operation, transactionId, platformName)
  response.contentType = answer.contentType
  for (const [name, values] of Object.entries(answer.headers)) {
    for (const value of [values].flat()) {
      if (name.toLowerCase() === 'content-type') response.contentType = value
      else response.setHeader(name, value)
    }
  }
  if (typeof answer.content === 'string') response.setContentString(answer.content)
  else if (answer.content) response.setContentBytes(answer.content)
  return response
}
