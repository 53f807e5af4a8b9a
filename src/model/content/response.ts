/** The response message, as handlers see it (specification 5). The SDK exports it. */
import type { XmlDocument } from './xml.ts'

/** The response (specification 5.3, 5.7). Made by `context.broker.createMessage`, and returned by `onRequest`. */
export interface ResponseMessage {
  /** Full name of the operation, method suffix included: `ECHO_GET`. */
  readonly operationName: string
  /**
   * The status: 200–299 or 400–499, by default the code of the operation's response message. A 4xx rolls back the handler's
   * writes; any other code is `handlerFailed`.
   */
  httpResponseCode: number
  /** The header `Content-Type`, by default the operation's response content type. The body is always sent in UTF-8. */
  contentType: string
  /** Fills the body with the current state of the document as XML, beginning with `<?xml version="1.0"?>` and not indented. */
  setXmlDoc(document: XmlDocument): void
  /** Fills the body with text. */
  setContentString(content: string): void
  /**
   * Fills the body with a value as JSON. The content type becomes `application/json`, unless it
   * is a JSON type already. A bigint is written as its digits and a Date as ISO 8601; undefined members are left out.
   * @throws TypeError that names the place of a value that JSON cannot represent: NaN or Infinity, bytes, a Map, Set
   * or Promise, an invalid Date, a circular object, or undefined as the whole value
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Time implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     // {"now":"2026-11-23T08:00:00.000Z","rows":12}
   *     response.setJson({ now: new Date(context.now()), rows: 12n })
   *     return response
   *   }
   * }
   * ```
   */
  setJson(value: unknown): void
  /**
   * Fills the body with bytes, such as a file or an image. They are not copied: do not modify them afterwards.
   * Set `contentType` too, unless the operation's response content type is that of the bytes.
   * @throws TypeError for anything but a Buffer or another Uint8Array
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * const pixel = Buffer.from('R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAIA', 'base64')
   *
   * export default class Pixel implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.contentType = 'image/gif'
   *     response.setContentBytes(pixel)
   *     return response
   *   }
   * }
   * ```
   */
  setContentBytes(bytes: Uint8Array): void
  /**
   * Fills the body with the output of a source while it is sent: text, encoded as UTF-8, and bytes. The handler's
   * writes are committed first; then the source is pulled as fast as the client reads. To read the database, use
   * `context.snapshot`. A stream is never cached, and ends after `ig.limits.streamTime` (specification 5.30 to 5.35).
   *
   * An error before the first chunk is sent is answered like any other; later the connection is reset, so that the
   * client notices, and the error is logged. If the client disconnects, the source's `return` is called (a generator's
   * `finally` runs); for HEAD too, without pulling. A chunk must not be modified after it is yielded.
   * @param source an async generator, a Readable, or another AsyncIterable
   * @param options `size` in bytes, if known, so that the client can show progress. A source that yields more or less
   * fails
   * @throws TypeError for anything but an AsyncIterable, and for a size that is not a whole number
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Export implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.contentType = 'text/csv; charset=UTF-8'
   *     response.setContentStream(writeLines(context))
   *     return response
   *   }
   * }
   *
   * async function* writeLines({ snapshot }: HandlerContext) {
   *   yield 'OPERATOR\r\n'
   *   for await (const { OPRID } of snapshot
   *     .selectFrom('VISITS')
   *     .select('OPRID')
   *     .stream())
   *     yield `${OPRID}\r\n`
   * }
   * ```
   */
  setContentStream(source: AsyncIterable<string | Uint8Array>, options?: { readonly size?: number }): void
  /**
   * Sets a response header. `Set-Cookie` is added each time, so a response can have several; any other header is replaced.
   * @throws TypeError for a header that the gateway sets (framing, content type, `ig-*`, `x-<platform>-*`), and for a
   * name or value that HTTP does not allow
   */
  setHeader(name: string, value: string): void
  /**
   * Keeps this response in the REST cache until the given time: GETs with the same path and query string are answered
   * from it without running the handler (specification 6). For GET operations and successful responses only; a time in
   * the past caches nothing. A second caller receives the first caller's response: do not cache responses that depend
   * on `context.operator`, or set the operation's cache key policy to `perOperator`.
   * @param expires Date or epoch milliseconds
   * @throws RangeError for a number below 10^11, which looks like a duration
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Rates implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setContentString('{"EUR":1}')
   *     response.setRestCache(context.now() + 2 * 60 * 1000)
   *     return response
   *   }
   * }
   * ```
   */
  setRestCache(expires: Date | number): void
}
