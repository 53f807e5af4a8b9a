/** A response that a handler returns, or throws from any depth (specification 5.23). */
import { writeJson } from './json-writer.ts'

/**
 * Ends the handler with this response, however deep in its code it is thrown (specification 5.23); `onRequest` may return it
 * as well. 200–299 commits what the handler wrote; 400–599 rolls it back and counts as failed, without `onError`. It is never cached.
 *
 * The body: text is sent as `text/plain`, bytes as `application/octet-stream`, anything else as JSON; without one nothing is
 * sent. The header `content-type` says otherwise. A value of several strings sets the header several times: `set-cookie`.
 * @throws RangeError for another status, TypeError for a body that JSON cannot write
 * @example
 * ```ts
 * import {
 *   Answer,
 *   type Handler,
 *   type HandlerContext,
 *   type HandlerDatabase,
 *   type RequestMessage,
 * } from 'integration-gateway'
 *
 * export default class Employee implements Handler {
 *   async onRequest(request: RequestMessage, context: HandlerContext) {
 *     const response = context.broker.createMessage(request.operationName, 'response')
 *     response.setJson(await requireVisits(context.database, context.operator.id))
 *     return response
 *   }
 * }
 *
 * async function requireVisits(database: HandlerDatabase, id: string) {
 *   const visits = await database
 *     .selectFrom('VISITS')
 *     .selectAll()
 *     .where('OPRID', '=', id)
 *     .execute()
 *   if (visits.length > 0) return visits
 *   throw new Answer(404, { error: 'no visits' }, { 'cache-control': 'no-store' })
 * }
 * ```
 */
export class Answer extends Error {
  override readonly name = 'Answer'
  /** The status of the response. */
  readonly status: number
  /** The headers that were given. */
  readonly headers: AnswerHeaders
  /** The body as it is sent; undefined if there is none. */
  readonly content: string | Uint8Array | undefined
  /** The content type of the response, unless `headers` has one. */
  readonly contentType: string

  /** Makes an answer to return or to throw. */
  constructor(status: number, body?: unknown, headers: AnswerHeaders = {}) {
    if (!Number.isInteger(status) || status < 200 || status > 599 || (status > 299 && status < 400))
      throw new RangeError(`The status of an Answer is 200–299 or 400–599, not ${String(status)}`)
    super(`Answer ${status}`)
    const isBytes = body instanceof Uint8Array
    const isJson = typeof body !== 'string' && !isBytes && body !== undefined
    this.status = status
    this.headers = headers
    this.content = isJson ? writeJson(body) : body
    this.contentType = isJson ? 'application/json' : isBytes ? 'application/octet-stream' : 'text/plain; charset=UTF-8'
  }
}

/** Headers of an `Answer` by name; several values set the header several times. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>
