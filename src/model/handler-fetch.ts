/** Calls of other HTTP services by handlers (specification 5.50 to 5.53). The SDK exports it. */

/** Options of `context.fetch`, all of them optional. */
export interface FetchOptions {
  /** Default: GET. */
  readonly method?: string
  /** Headers of the request by name, besides those of the trace. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of the request, text as UTF-8. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
  /**
   * `follow`: up to 5, each target checked like the first one; credentials are not sent to another origin. Default:
   * `manual`, the redirection is the answer.
   */
  readonly redirect?: 'manual' | 'follow'
  /** Milliseconds, for the answer and its body; never beyond the time of the call. Default: 10,000. */
  readonly timeout?: number
  /** The body may have any length, and the time limit ends with the headers: read it as a stream. */
  readonly isStreamed?: boolean
  /** Aborts it, besides the signal of the context. */
  readonly signal?: AbortSignal
}

/**
 * Why there is no answer:
 *
 * | code | cause |
 * |---|---|
 * | `addressRefused` | the host has a link-local, private or loopback address that `ig.fetch.origins` does not allow |
 * | `originRefused` | `ig.fetch.origins` is set and does not list the origin |
 * | `circuitOpen` | the origin failed five times in a row, and is not asked for five seconds |
 * | `timedOut` | no answer within the time limit |
 * | `failed` | the connection failed |
 * | `tooManyRedirects` | more than five redirects |
 * | `bodyTooLong` | the body has more than 10 MiB, and is not streamed |
 */
export type FetchErrorCode =
  | 'addressRefused'
  | 'originRefused'
  | 'circuitOpen'
  | 'timedOut'
  | 'failed'
  | 'tooManyRedirects'
  | 'bodyTooLong'

/** What `context.fetch` throws without an answer. Its message names the origin, and neither path nor query. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
  /** Why there is no answer. */
  readonly code: FetchErrorCode

  /** Makes an error for a test of code that catches it. */
  constructor(code: FetchErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
