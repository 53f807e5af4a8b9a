/**
 * A refusal: the caller asked for something that is refused. The table is the only place that knows a status, a
 * header or a body, for both styles (specification 4).
 */

export type RefusalCode =
  | 'tokenRejected' | 'basicRejected' | 'permissionDenied' | 'operationNotFound'
  | 'pathUnknown' | 'nodeUnknown' | 'uriNotMatched'
  | 'uriMalformed' | 'uriValueInvalid' | 'bodyMalformed'
  | 'bodyTooLarge' | 'uriTooLong' | 'headersTooLarge' | 'contentUnsupported'
  | 'tlsRequired' | 'rateLimited' | 'overloaded'
  | 'handlerFailed' | 'handlerTimedOut' | 'unexpected'

export interface RefusalOptions {
  /** What the caller may read: what it did wrong, nothing of the inside. Default: the table's sentence. */
  readonly detail?: string
  /** Handler error detail that only `ig.serviceSystemStatus=development` shows. */
  readonly development?: string
  /** Methods that the name and version have, for `Allow`. */
  readonly allow?: readonly string[]
  readonly cause?: unknown
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly detail: string | undefined
  readonly development: string | undefined
  readonly allow: readonly string[] | undefined

  /** @param reason for the log only, never sent */
  constructor(code: RefusalCode, reason: string, options: RefusalOptions = {}) {
    super(reason, { cause: options.cause })
    this.code = code
    this.detail = options.detail
    this.development = options.development
    this.allow = options.allow
  }
}
