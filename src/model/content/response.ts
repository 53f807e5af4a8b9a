/** The response message, as handlers see it (specification 5). The SDK exports it. */
import type { XmlDocument } from './xml.ts'

/** The response (specification 5.3, 5.7). Made by `context.broker.createMessage`, and returned by `onRequest`. */
export interface ResponseMessage {
  readonly operationName: string
  /**
   * 200–299 or 400–499, by default the code of the operation's response message. A 4xx rolls back what the handler wrote;
   * any other code is `handlerFailed`.
   */
  httpResponseCode: number
  /** By default the operation's response content type. The body is always sent in UTF-8. */
  contentType: string
  /** Fills the body with XML, as the document is now: it begins `<?xml version="1.0"?>` and is not indented. */
  setXmlDoc(document: XmlDocument): void
  /** Fills the body with text. */
  setContentString(content: string): void
  /**
   * Fills the body with a value as JSON (specification 5.22). The content type becomes `application/json`, unless it is a
   * JSON type already. A bigint is written as its digits and a Date as ISO 8601; members that are undefined are left out.
   * @throws TypeError that names the place of what JSON cannot write: NaN or Infinity, bytes, a Map, Set or Promise, an
   * invalid Date, an object within itself, or undefined as the whole value
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Time implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setJson({ now: new Date(context.now()), rows: 12n }) // {"now":"2026-11-23T08:00:00.000Z","rows":12}
   *     return response
   *   }
   * }
   * ```
   */
  setJson(value: unknown): void
  /**
   * Fills the body with bytes as they are, such as a file or an image. They are not copied: do not change them afterwards.
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
   * Fills the body with what a source yields while it is sent: text, encoded as UTF-8, and bytes. What the handler wrote
   * is committed first; then the source is pulled, as fast as the client reads. It reads the database as
   * `context.snapshot`. A stream is never cached, and ends after `ig.limits.streamTime` (specification 5.30 to 5.35).
   *
   * An error before the first piece is sent is answered as any other; later the connection is cut, so that the client notices,
   * and the log has the error. If the client leaves, the source's `return` is called (`finally` of a generator runs);
   * for HEAD too, without pulling. A chunk must not be changed after it was yielded.
   * @param source an async generator, a Readable, or another AsyncIterable
   * @param options `size` in bytes, if it is known: the client then sees how much is to come. A source that yields more
   * or less has failed
   * @throws TypeError for anything but an AsyncIterable, and for a size that is no whole number
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
   *   for await (const { OPRID } of snapshot.selectFrom('VISITS').select('OPRID').stream()) yield `${OPRID}\r\n`
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
   * Keeps this response in the REST cache until then: GETs with the same path and query string are answered from it, and
   * the handler does not run (specification 6). For GET operations and successful responses only; a time in the past caches
   * nothing. A second caller receives the first caller's response: do not cache what depends on `context.operator`, or
   * give the operation the cache key policy `perOperator`.
   * @param expires Date or epoch milliseconds
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
