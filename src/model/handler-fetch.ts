/** Calls of other HTTP services by handlers (specification 5.50 to 5.53). The SDK exports it. */

export interface FetchOptions {
  /** Default: GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
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

export type Fetch = (url: string | URL, options?: FetchOptions) => Promise<Response>

export type FetchErrorCode =
  | 'addressRefused'
  | 'originRefused'
  | 'circuitOpen'
  | 'timedOut'
  | 'failed'
  | 'tooManyRedirects'
  | 'bodyTooLong'

/** Why `context.fetch` has no answer. Its message names the origin, and neither path nor query. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly code: FetchErrorCode

  constructor(code: FetchErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
