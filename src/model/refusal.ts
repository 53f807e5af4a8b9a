/**
 * A refusal: the caller asked for something that is refused. The table is the only place that knows a status, a
 * header or a body, for both styles (specification 4), and what console, descriptions and logs say of a code. A new refusal
 * is one row.
 */

export type RefusalCode = keyof typeof refusalTable

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
  /** Its reason is not the gateway's. */
  readonly isOfHandler: boolean = false
  readonly detail: string | undefined
  readonly development: string | undefined
  readonly allow: readonly string[] | undefined

  /** @param reason for the log only, never sent */
  constructor(code: RefusalCode, reason: string, options: RefusalOptions = {}) {
    const { stackTraceLimit } = errors
    errors.stackTraceLimit = 0 // nothing shows where a refusal was made: D-481
    super(reason, { cause: options.cause })
    errors.stackTraceLimit = stackTraceLimit
    this.code = code
    this.detail = options.detail
    this.development = options.development
    this.allow = options.allow
  }
}

/** The console is compiled without the types of V8. */
const errors = Error as ErrorConstructor & { stackTraceLimit?: number }

/** What goes on the wire in one style: `empty` nothing, `page` the HTML page, `problem` problem details. */
export interface RefusalForm {
  readonly status: number
  readonly body: 'empty' | 'page' | 'problem'
  /** Instead of `status`, where the refusal names methods for `Allow`. */
  readonly statusWithAllow?: number
}

export interface RefusalRow {
  readonly observed: RefusalForm
  readonly standard: RefusalForm
  /** What the caller reads where the refusal brings no detail of its own. */
  readonly detail: (facts: RefusalFacts) => string
  /** Flat: name, value… besides content type and the headers of every response. */
  readonly headers?: (facts: RefusalFacts) => readonly string[]
  /** The code itself would be a hint of the cause: no `ig-refusal`. */
  readonly isSilent?: boolean
  /** For people who look after calls: the console, the documentation. */
  readonly meaning: string
  /** Which operations can meet it, for their descriptions. */
  readonly arises: RefusalCondition
  /** In the logs; by default a warning. */
  readonly severity?: 'error' | 'exception'
}

/** `never`: what is described is there, at the path that is described. */
export type RefusalCondition =
  | 'always'
  | 'never'
  | 'bearer'
  | 'basic'
  | 'tls'
  | 'body'
  | 'values'
  | 'documentValues'
  | 'valuesOrRecording'

/** What is known of the call; the empty string where it was refused before that was known. */
export interface RefusalFacts {
  readonly platform: string
  readonly operatorId: string
  /** `ECHO_GET` */
  readonly operation: string
  /** `ECHO.v1`, as the URL has it. */
  readonly service: string
}

const same = (status: number, body: RefusalForm['body'] = 'problem') => ({
  observed: { status, body },
  standard: { status, body },
})
const sentence = (detail: string) => ({ detail: () => detail })
const challenge = (scheme: (facts: RefusalFacts) => string) => ({
  isSilent: true,
  headers: (facts: RefusalFacts) => [
    'cache-control',
    'no-store, must-revalidate, private',
    'www-authenticate',
    scheme(facts),
  ],
})
const retryAfter = (seconds: string) => ({ headers: () => ['retry-after', seconds] })

export const refusalTable = {
  tokenRejected: {
    ...same(401, 'empty'),
    ...sentence(''),
    ...challenge(({ platform }) => `Bearer realm="${platform}", error="invalid_token"`),
    meaning: 'The bearer token was not accepted',
    arises: 'bearer',
  },
  basicRejected: {
    ...same(401, 'empty'),
    ...sentence(''),
    ...challenge(({ platform }) => `Basic realm="${platform}", charset="UTF-8"`),
    meaning: 'Name or password was not accepted',
    arises: 'basic',
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
  nodeUnknown: {
    ...same(404),
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
  tlsRequired: {
    ...same(403),
    ...sentence('This operation must be called over TLS.'),
    meaning: 'The operation is called over TLS only',
    arises: 'tls',
  },
  rateLimited: {
    ...same(429),
    ...sentence('Too many requests.'),
    ...retryAfter('1'),
    meaning: 'Too many requests',
    arises: 'never', // no limits yet
  },
  overloaded: {
    ...same(503),
    ...sentence('The gateway cannot take this call now.'),
    ...retryAfter('1'),
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
  unexpected: {
    ...same(500),
    ...sentence('The gateway failed to answer the call.'),
    meaning: 'The gateway failed: a fault of its own',
    arises: 'always',
    severity: 'exception',
  },
} as const satisfies Readonly<Record<string, RefusalRow>>
