/**
 * A refusal of a request. The table has the status, headers and body of each refusal in both styles (specification 4), and
 * its texts in console, descriptions and logs: a new refusal is one row. Framing errors (400, 408, 505) have no row:
 * `http/edge.ts` answers them without a body.
 */

import { cutText } from '../base/cut-text.ts'
import type { RateLimitStatus } from './rate-limit-status.ts'
import type { Step } from './step.ts'

/** A code of docs/reference/refusals.md, which has its status and body. */
export type RefusalCode = keyof typeof refusalTable

/** What is wrong at one place of a body. */
export interface BodyError {
  /** A JSON pointer. */
  readonly pointer: string
  /** In the schema's words. */
  readonly detail: string
}

/** What a `Refusal` tells besides its code and its reason. */
export interface RefusalOptions {
  /** For the caller: what is wrong with the request, without internals. Default: the sentence of the table. */
  readonly detail?: string
  /** Error detail of a handler, shown only with `ig.serviceSystemStatus=development`. */
  readonly development?: string
  /** Methods that the name and version have, for `Allow`. */
  readonly allow?: readonly string[]
  /** For the caller: the errors of the body, at most 100 of them. */
  readonly errors?: readonly BodyError[]
  /** Seconds until the caller may try again, for `Retry-After`. Default: 1. */
  readonly retryAfter?: number
  /** The state of the limit that refused the call. */
  readonly rateLimit?: RateLimitStatus | undefined
  /** The caller is the cause, although the status is a 5xx: it left, or guessed passwords. */
  readonly isByCaller?: boolean
  /** The error that led to it, for the log. */
  readonly cause?: unknown
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Decides status, headers and body. */
  readonly code: RefusalCode
  /** The handler wrote its reason. */
  readonly isOfHandler: boolean = false
  /** The text for the caller. */
  readonly detail: string | undefined
  /** The text for the caller in development. */
  readonly development: string | undefined
  /** The methods of `Allow`. */
  readonly allow: readonly string[] | undefined
  /** What is wrong with the body. */
  readonly errors: readonly BodyError[] | undefined
  /** The seconds of `Retry-After`. */
  readonly retryAfter: number | undefined
  /** The state of the limit that refused the call. */
  readonly rateLimit: RateLimitStatus | undefined
  /** Counted as refused, otherwise as failed. */
  readonly isByCaller: boolean
  /** The step that refused, unless it is the one after the last that passed. */
  step: Step | undefined
  #reason: string | (() => string)

  /**
   * Makes a refusal to throw.
   * @param code of the table
   * @param reason for the log only, never sent; a function runs when a log needs it, which in a flood is seldom
   */
  constructor(code: RefusalCode, reason: string | (() => string), options: RefusalOptions = {}) {
    super(undefined, { cause: options.cause })
    this.#reason = reason
    this.code = code
    this.detail = options.detail
    this.development = options.development
    this.allow = options.allow
    this.errors = options.errors
    this.retryAfter = options.retryAfter
    this.rateLimit = options.rateLimit
    this.isByCaller = options.isByCaller ?? refusalTable[code].standard.status < 500
  }

  override get message(): string {
    this.#reason = cutText(typeof this.#reason === 'function' ? this.#reason() : this.#reason, maxReason)
    return this.#reason
  }
}

/**
 * An error that a handler throws to refuse the call (specification 8.11): its code decides status and body, its reason is
 * for the log and may contain values of the call. The gateway's own refusals are instances of it too, so that handlers can
 * let them pass.
 * @example
 * ```ts
 * import {
 *   type Handler,
 *   type HandlerContext,
 *   Refusal,
 *   type RequestMessage,
 * } from 'integration-gateway'
 *
 * export default class Echo implements Handler {
 *   onRequest(request: RequestMessage, context: HandlerContext) {
 *     const { parameter1 } = request.getUriDocument()
 *     if (parameter1 === 'nobody')
 *       throw new Refusal('uriValueInvalid', `${context.operator.id} asked for nobody`, {
 *         detail: 'Name a person.',
 *       })
 *     const response = context.broker.createMessage(request.operationName, 'response')
 *     response.setContentString(`Hello ${parameter1}`)
 *     return response
 *   }
 * }
 * ```
 */
export class HandlerRefusal extends Refusal {
  override readonly isOfHandler = true
}

Object.defineProperty(HandlerRefusal, Symbol.hasInstance, { value: isInstance })

/** A subclass of a handler has only its own instances. */
function isInstance(this: unknown, value: unknown): boolean {
  return Function.prototype[Symbol.hasInstance].call(this === HandlerRefusal ? Refusal : this, value)
}

export function refusedBy(step: Step, refusal: Refusal): Refusal {
  refusal.step = step
  return refusal
}

/** Characters: the message of an error, cut by itself, fits with what is said before it. */
const maxReason = 16 * 1024

/** The body in one style: `empty` nothing, `page` the HTML page, `problem` problem details. */
export interface RefusalForm {
  readonly status: number
  readonly body: 'empty' | 'page' | 'problem'
  /** Instead of `status`, if the refusal lists methods for `Allow`. */
  readonly statusWithAllow?: number
  /** Message set and number of the original, at the end of the body: clients look for it. */
  readonly messageNumber?: string
  /** Instead of `status`: a setting chooses. */
  readonly statusSetting?: 'jsonInvalidStatus'
}

export interface RefusalRow {
  readonly observed: RefusalForm
  readonly standard: RefusalForm
  /** The caller reads this if the refusal has no detail of its own. */
  readonly detail: (facts: RefusalFacts) => string
  /** Flat: name, value… without content type and the headers of every response. */
  readonly headers?: (facts: RefusalFacts) => readonly string[]
  /** Without the header `ig-refusal`, as every 401. Problem details have the code, which is the same for every cause. */
  readonly omitsCodeHeader?: boolean
  /** For operators of the gateway: the console, the documentation. */
  readonly meaning: string
  /** The operations that can meet it, for their descriptions. */
  readonly arises: RefusalCondition
  /** How the logs report it; by default as a warning. */
  readonly severity?: 'error' | 'exception'
}

/** `never`: not in descriptions, whose readers call operations and paths that exist. */
export type RefusalCondition =
  | 'always'
  | 'never'
  | 'credentials'
  | 'tls'
  | 'network'
  | 'body'
  | 'schema'
  | 'limits'
  | 'key'
  | 'keyRequired'
  | 'values'
  | 'documentValues'
  | 'valuesOrRecording'
  | 'forwarded'

/** The known parts of the call; an empty string for a part that was not known yet. */
export interface RefusalFacts {
  readonly platform: string
  readonly operatorId: string
  /** `ECHO_GET` */
  readonly operation: string
  /** `ECHO.v1`, as in the URL. */
  readonly service: string
  /** Whole seconds, at least 1: `buildRefusal` fills in the default. */
  readonly retryAfter: number
}

const same = (status: number, body: RefusalForm['body'] = 'problem') => ({
  observed: { status, body },
  standard: { status, body },
})
const sentence = (detail: string) => ({ detail: () => detail })
const challenge = (scheme: (facts: RefusalFacts) => string) => ({
  omitsCodeHeader: true,
  headers: (facts: RefusalFacts) => [
    'cache-control',
    'no-store, must-revalidate, private',
    'www-authenticate',
    scheme(facts),
  ],
})
const retryAfterHeader = { headers: (facts: RefusalFacts) => ['retry-after', String(facts.retryAfter)] }

export const refusalTable = {
  tokenRejected: {
    ...same(401, 'empty'),
    ...sentence(''),
    ...challenge(({ platform }) => `Bearer realm="${platform}", error="invalid_token"`),
    meaning: 'The bearer token was not accepted',
    arises: 'credentials',
  },
  basicRejected: {
    ...same(401, 'empty'),
    ...sentence(''),
    ...challenge(({ platform }) => `Basic realm="${platform}", charset="UTF-8"`),
    meaning: 'Name or password was not accepted',
    arises: 'credentials',
  },
  certificateRejected: {
    ...same(401, 'empty'),
    ...sentence(''),
    ...challenge(({ platform }) => `Certificate realm="${platform}"`),
    meaning: 'The client certificate was not accepted',
    arises: 'credentials',
  },
  sessionTokenRejected: {
    observed: { status: 401, body: 'page' },
    standard: { status: 401, body: 'problem' },
    ...sentence('PSFT Authentication token failed'), // clients look for it, and sign in again
    ...challenge(({ platform }) => `PS_TOKEN realm="${platform}"`),
    meaning: 'The session token was not accepted',
    arises: 'credentials',
  },
  permissionDenied: {
    observed: { status: 200, body: 'page' }, // observed defect, kept: decisions D-3
    standard: { status: 403, body: 'problem' },
    detail: ({ operatorId, operation }) => `User Id: ${operatorId} is not authorized for the operation ${operation}.`,
    meaning: 'The operator may not call the operation',
    arises: 'always',
  },
  operationNotFound: {
    observed: { status: 200, body: 'page' }, // observed defect, kept: decisions D-3
    standard: { status: 404, body: 'problem', statusWithAllow: 405 },
    detail: ({ service }) => `Service Version Method for ${service} was not found.`,
    meaning: 'There is no such operation, version or method',
    arises: 'never',
  },
  pathUnknown: {
    ...same(404),
    ...sentence('Nothing is published at this path.'),
    meaning: 'Nothing is published at this path',
    arises: 'never',
  },
  listenerRefused: {
    ...same(403),
    ...sentence('The listener does not pass this call on.'),
    meaning: 'The listener does not pass the call on',
    arises: 'never',
  },
  nodeUnknown: {
    observed: { status: 500, body: 'page', messageNumber: '(158,505)' },
    standard: { status: 404, body: 'problem' },
    ...sentence('The node in the URL is not known.'),
    meaning: 'The node in the URL is not known',
    arises: 'never',
  },
  uriNotMatched: {
    ...same(404),
    ...sentence('The URL matches no URI template of the operation.'),
    meaning: 'The URL matches no URI template',
    arises: 'valuesOrRecording',
  },
  uriMalformed: {
    ...same(400),
    ...sentence('The URL is malformed.'),
    meaning: 'The URL is malformed',
    arises: 'values',
  },
  uriValueInvalid: {
    ...same(400),
    ...sentence('A value in the URL is not allowed.'),
    meaning: 'A value in the URL is not allowed',
    arises: 'documentValues',
  },
  bodyMalformed: {
    ...same(400),
    ...sentence('The request body is malformed.'),
    meaning: 'The request body is malformed',
    arises: 'body',
  },
  bodyInvalid: {
    observed: { status: 422, body: 'problem', statusSetting: 'jsonInvalidStatus' },
    standard: { status: 422, body: 'problem', statusSetting: 'jsonInvalidStatus' },
    ...sentence('The request body does not match its schema.'),
    meaning: 'The request body does not match its schema',
    arises: 'schema',
  },
  bodyTooLarge: {
    ...same(413),
    ...sentence('The request body is too large.'),
    meaning: 'The request body is too large',
    arises: 'body',
  },
  uriTooLong: {
    ...same(414),
    ...sentence('The URL is too long.'),
    meaning: 'The URL is too long',
    arises: 'values',
  },
  headersTooLarge: {
    ...same(431),
    ...sentence('The header fields of the request are too large.'),
    meaning: 'The headers are too large',
    arises: 'always',
  },
  contentUnsupported: {
    ...same(415),
    ...sentence('The content encoding or charset of the body cannot be read.'),
    meaning: 'The encoding or charset of the body cannot be read',
    arises: 'body',
  },
  idempotencyKeyMissing: {
    ...same(400),
    ...sentence('The header Idempotency-Key is required.'),
    meaning: 'The Idempotency-Key is missing',
    arises: 'keyRequired',
  },
  idempotencyKeyInvalid: {
    ...same(400),
    ...sentence('The Idempotency-Key must have 1 to 255 visible characters, in quotation marks or not.'),
    meaning: 'The Idempotency-Key is malformed',
    arises: 'key',
  },
  idempotencyKeyReused: {
    ...same(422),
    ...sentence('The Idempotency-Key was used for another request.'),
    meaning: 'The Idempotency-Key was used for another request',
    arises: 'key',
  },
  idempotencyKeyInUse: {
    ...same(409),
    ...sentence('The first call with this Idempotency-Key is still at work.'),
    ...retryAfterHeader,
    meaning: 'The first call with this Idempotency-Key is still running',
    arises: 'key',
  },
  tlsRequired: {
    ...same(403),
    ...sentence('This operation must be called over TLS.'),
    meaning: 'The operation requires TLS',
    arises: 'tls',
  },
  addressDenied: {
    ...same(403),
    ...sentence('This operation cannot be called from your address.'),
    meaning: 'The operation may not be called from this address',
    arises: 'network',
  },
  originRefused: {
    ...same(403),
    ...sentence('Pages of other sites may not call this operation with credentials of the browser.'),
    meaning: 'A page of another site used credentials of the browser',
    arises: 'never', // a description is for clients, not for pages of other sites
  },
  rateLimited: {
    ...same(429),
    ...sentence('Too many requests.'),
    ...retryAfterHeader,
    meaning: 'A limit is exhausted',
    arises: 'limits',
  },
  overloaded: {
    ...same(503),
    ...sentence('The gateway cannot take this call now.'),
    ...retryAfterHeader,
    meaning: 'The gateway could not take the call',
    arises: 'always',
  },
  handlerFailed: {
    ...same(500),
    ...sentence('The operation failed.'),
    meaning: 'The handler failed',
    arises: 'always',
    severity: 'error',
  },
  handlerTimedOut: {
    ...same(504),
    ...sentence('The operation took too long.'),
    meaning: 'The handler took too long',
    arises: 'always',
    severity: 'error',
  },
  upstreamFailed: {
    ...same(502),
    ...sentence('The server behind this operation gave no valid answer.'),
    meaning: 'The server that the operation is passed through to failed',
    arises: 'forwarded',
    severity: 'error',
  },
  upstreamTimedOut: {
    ...same(504),
    ...sentence('The server behind this operation took too long.'),
    meaning: 'The server that the operation is passed through to took too long',
    arises: 'forwarded',
    severity: 'error',
  },
  unexpected: {
    ...same(500),
    ...sentence('The gateway failed to answer the call.'),
    meaning: 'The gateway failed: an internal error',
    arises: 'always',
    severity: 'exception',
  },
} as const satisfies Readonly<Record<string, RefusalRow>>

/** What became of a call, for counts. */
export const callOutcomes = ['served', 'refused', 'failed'] as const
export type CallOutcome = (typeof callOutcomes)[number]

interface CallEnd {
  readonly status: number
  /** Whether the response is from `onError`. */
  readonly hasFailed?: boolean | undefined
}

/** A refusal whose cause is the caller is refused; any other one, any 5xx and what `onError` answers failed; the rest is served. */
export function outcomeOf({ status, hasFailed }: CallEnd, refusal?: Refusal): CallOutcome {
  if (refusal?.isByCaller) return 'refused'
  return refusal || hasFailed || status >= 500 ? 'failed' : 'served'
}
