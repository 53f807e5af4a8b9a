/** Validators of the representation that a handler returns, for conditional and range requests (specification 5.24, 5.25). */
import { isNotModified, quoteTag } from './conditional.ts'
import type { RequestMessage } from './message.ts'
import { SpooledRequest } from './request-message.ts'
import type { ResponseMessage } from './response.ts'
import { FilledResponse } from './response-message.ts'

/** What identifies the state of a representation: either member, or both. */
export interface RepresentationValidators {
  /** Identifies this state of the representation, such as a version or a digest; quotation marks are added if missing. `W/"…"` is weak. */
  readonly etag?: string | undefined
  /** When it last changed: a Date or epoch milliseconds. HTTP has whole seconds. */
  readonly lastModified?: Date | number | undefined
}

/**
 * Answers a GET with 304, 206 or 416 if the request asks for it (specification 5.24, 5.25). Sets `ETag` and
 * `Last-Modified`, and checks the request: if the client already has this state, the response is 304 without a body,
 * and the handler need not fill one. A request for one range of a body of text or bytes gets that range (206), or 416
 * if the body is shorter. The handler's writes are committed. Methods other than GET and HEAD get only the headers.
 * @returns whether the client already has it: then return the response unchanged
 * @throws TypeError for an entity tag that HTTP cannot carry, and an invalid date
 * @example
 * ```ts
 * import {
 *   answerConditional,
 *   type Handler,
 *   type HandlerContext,
 *   type RequestMessage,
 * } from 'integration-gateway'
 *
 * const photo = { version: 7, bytes: Buffer.alloc(100_000) }
 *
 * export default class Photo implements Handler {
 *   onRequest(request: RequestMessage, context: HandlerContext) {
 *     const response = context.broker.createMessage(request.operationName, 'response')
 *     response.contentType = 'image/jpeg'
 *     if (answerConditional(request, response, { etag: `v${photo.version}` }))
 *       return response
 *     response.setContentBytes(photo.bytes)
 *     return response
 *   }
 * }
 * ```
 */
export function answerConditional(
  request: RequestMessage,
  response: ResponseMessage,
  { etag, lastModified }: RepresentationValidators,
): boolean {
  if (!(request instanceof SpooledRequest) || !(response instanceof FilledResponse))
    throw new TypeError('answerConditional takes the request of the call and the response that createMessage made')
  const validators = {
    etag: etag === undefined ? undefined : quoteTag(etag),
    lastModified: lastModified === undefined ? undefined : writeDate(lastModified),
  }
  if (validators.etag !== undefined) response.setHeader('etag', validators.etag)
  if (validators.lastModified !== undefined) response.setHeader('last-modified', validators.lastModified)
  const { method, headers } = request.call
  if (method !== 'GET' && method !== 'HEAD') return false
  response.isConditional = true
  response.isNotModified = isNotModified(headers, validators)
  return response.isNotModified
}

function writeDate(date: Date | number): string {
  const time = new Date(date)
  if (Number.isNaN(time.getTime())) throw new TypeError('lastModified is a Date or epoch milliseconds')
  return time.toUTCString()
}
