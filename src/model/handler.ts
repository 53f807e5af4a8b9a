/** What a handler is, what it is given and what it gives back (specification 5). All of it is exported by the SDK. */
import type { HandlerDatabase } from './handler-database.ts'
import type { RequestMessage, ResponseMessage } from './message.ts'
import type { UriValue } from './uri-document.ts'

/** The class registered on an operation; a new instance serves each request. */
export type HandlerClass = new () => Handler

export interface Handler {
  onRequest(request: RequestMessage, context: HandlerContext): ResponseMessage | Promise<ResponseMessage>
  /** Called when `onRequest` threw or timed out, with `request.exception` set. A non-empty string becomes the body. */
  onError?(request: RequestMessage, context: HandlerContext): string | Promise<string>
  /** Overrides the fault message's status for what `onError` returns. */
  onErrorHttpResponseCode?: number
  /** Overrides the fault message's content type for what `onError` returns. */
  onErrorContentType?: string
}

export interface HandlerContext {
  /** Whom the handler runs as. Reading it is noted: see `setRestCache`. */
  readonly operator: HandlerOperator
  readonly transactionId: string
  /** One transaction per request: committed before the response is sent, rolled back on failure. Opens at first use. */
  readonly database: HandlerDatabase
  readonly broker: Broker
  readonly log: HandlerLog
  /** Aborted at the operation's time-out and when the client leaves. */
  readonly signal: AbortSignal
  /** Epoch milliseconds with a fraction down to microseconds. */
  now(): number
  readonly server: ServerDescription
}

export interface HandlerOperator {
  readonly id: string
  readonly description: string
}

export interface HandlerLog {
  error(message: string, detail?: Readonly<Record<string, unknown>>): void
  warning(message: string, detail?: Readonly<Record<string, unknown>>): void
  information(message: string, detail?: Readonly<Record<string, unknown>>): void
  debug(message: string, detail?: Readonly<Record<string, unknown>>): void
}

/** What the metadata response tells of the gateway. */
export interface ServerDescription {
  readonly dbname: string
  readonly dbType: 'SQLITE' | 'POSTGRESQL'
  readonly toolsRelease: string
  readonly platformName: string
  /** The server's time zone abbreviation, such as `UTC` or `CET`. */
  readonly timeZone: string
}

export interface Broker {
  /** The response message of the operation that the request names. @param operationName full name, `ECHO_GET` */
  createMessage(operationName: string, type: 'response'): ResponseMessage
  /**
   * Builds the URL path and query of an operation from one of its templates.
   * @param operationName full name, `ECHO_GET` @param uriResourceIndex from 1
   * @throws when a value is one that the template cannot carry
   */
  getUrl(operationName: string, version: string, uriResourceIndex: number, values: Readonly<Record<string, UriValue | readonly UriValue[]>>): string
  /**
   * Removes the cached responses of an operation; inside a handler, at its commit.
   * @param operationName full name, `CACHED_TIME_GET`
   * @returns whether the operation exists
   */
  deleteRestCache(operationName: string, version: string): Promise<boolean>
}
