/** What a handler says of the representation it answers with, for conditional and range requests (specification 5.24, 5.25). */
import { isNotModified, quoteTag } from './conditional.ts'
import type { RequestMessage } from './message.ts'
import { SpooledRequest } from './request-message.ts'
import type { ResponseMessage } from './response.ts'
import { FilledResponse } from './response-message.ts'

export interface RepresentationValidators {
  /** Names this state of what is answered, such as a version or a digest; it is quoted if it is not. `W/"…"` is weak. */
  readonly etag?: string | undefined
  /** When it last changed: a Date or epoch milliseconds. HTTP has whole seconds. */
  readonly lastModified?: Date | number | undefined
}

/**
 * Lets a GET be answered with 304, 206 or 416 (specification 5.24, 5.25). It sets `ETag` and `Last-Modified`, and looks at the
 * request: if the client has this state already, the answer is 304 without a body, and the handler need not fill one. A
 * request for one range of a body of text or bytes is answered with that part (206), or 416 if the body is shorter. What the
 * handler wrote is committed. Other methods than GET and HEAD only get the headers.
 * @returns whether the client has it: return the response as it is
 * @throws TypeError for an entity tag that HTTP cannot carry, and an invalid date
 * @example
 * ```ts
 * import { answerConditional, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
 *
 * const photo = { version: 7, bytes: Buffer.alloc(100_000) }
 *
 * export default class Photo implements Handler {
 *   onRequest(request: RequestMessage, context: HandlerContext) {
 *     const response = context.broker.createMessage(request.operationName, 'response')
 *     response.contentType = 'image/jpeg'
 *     if (answerConditional(request, response, { etag: `v${photo.version}` })) return response
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
