/** The errors of the administration API as problem details of RFC 9457, in one table (specification 18.16). */
import { showLine } from '../base/escape.ts'
import { suggest } from '../base/nearest.ts'
import type { Problem } from '../model/problem.ts'

export const problemContentType = 'application/problem+json'

interface Row {
  readonly status: number
  readonly title: string
}

export const problemTable = {
  invalid: { status: 400, title: 'The request is invalid' },
  unauthenticated: { status: 401, title: 'Sign in first' },
  credentialsRejected: { status: 401, title: 'Name or password is wrong' },
  secondFactorRequired: { status: 401, title: 'A second factor is required' },
  secondFactorRejected: { status: 401, title: 'The code or passkey was not accepted' },
  signInExpired: { status: 401, title: 'It took too long' },
  providerRejected: { status: 401, title: 'The sign-in was not valid' },
  passwordsOff: { status: 403, title: 'Sign in with the identity provider' },
  accessDenied: { status: 403, title: 'You have no access' },
  secondFactorMissing: { status: 403, title: 'Add a second factor first' },
  roleMissing: { status: 403, title: 'Your role does not allow this' },
  addressDenied: { status: 403, title: 'Your address is not allowed' },
  csrfRejected: { status: 403, title: 'The CSRF token is missing or wrong' },
  originRejected: { status: 403, title: 'The request comes from another site' },
  sessionRequired: { status: 403, title: 'This requires a session; API tokens are not accepted' },
  invitationRejected: { status: 403, title: 'The link was used or has expired' },
  notFound: { status: 404, title: 'Not found' },
  nameTaken: { status: 409, title: 'Another administrator has your name' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  metricsOff: { status: 409, title: 'Metrics are off' },
  logFilesOff: { status: 409, title: 'The log files are off' },
  managedByFiles: { status: 409, title: 'The configuration is managed by files' },
  monitorOff: { status: 409, title: 'The monitor is off' },
  baseOutdated: { status: 409, title: 'The draft is based on an older revision' },
  clientsLose: { status: 409, title: 'The change breaks existing clients' },
  notServed: { status: 409, title: 'A process cannot serve this revision' },
  preconditionFailed: { status: 412, title: 'Changed by someone else' },
  tooLarge: { status: 413, title: 'The body is too large' },
  contentUnsupported: { status: 415, title: 'The body must be application/json' },
  hostRejected: { status: 421, title: 'Unknown host name' },
  invalidConfiguration: { status: 422, title: 'The configuration is invalid' },
  metadataUnusable: { status: 422, title: 'The metadata document cannot be used' },
  preconditionRequired: { status: 428, title: 'If-Match is missing' },
  unexpected: { status: 500, title: 'Unexpected error' },
  providerAway: { status: 503, title: 'The identity provider does not answer' },
  storeAway: { status: 503, title: 'The database is not responding' },
  monitorAway: { status: 503, title: 'The monitor is unavailable' },
  overloaded: { status: 503, title: 'The gateway is overloaded' },
} as const satisfies Readonly<Record<string, Row>>

export type ProblemCode = keyof typeof problemTable

export interface ProblemExtra {
  /** Each error with its path. */
  readonly problems?: readonly Problem[]
  readonly headers?: Readonly<Record<string, string>>
  /** How to continue after the password. */
  readonly secondFactor?: {
    readonly ticket: string
    readonly totp: boolean
    /** Options for the browser. */
    readonly passkey?: object
  }
  /** Why a sign-in was refused, for the log. */
  readonly reason?: string
  /** For the log only. */
  readonly cause?: unknown
}

/** An error response. The detail tells the caller what to do. */
export class AdminProblem extends Error {
  override readonly name = 'AdminProblem'
  readonly code: ProblemCode
  readonly extra: ProblemExtra

  constructor(code: ProblemCode, detail: string, extra: ProblemExtra = {}) {
    super(detail, { cause: extra.cause })
    this.code = code
    this.extra = extra
  }
}

export function writeProblem({ code, message, extra }: AdminProblem, requestId: string) {
  const { status, title } = problemTable[code]
  const { problems, secondFactor } = extra
  return {
    type: 'about:blank',
    title,
    status,
    detail: message,
    code,
    ...(problems && { problems }),
    ...(secondFactor && { secondFactor }),
    requestId,
  }
}

/** `ig` knows by this text that a gateway is of an older version. */
export const unknownPath = 'The administration API has no such path and method.'

/** @param names of those that there are: the nearest is named */
export function notFound(what: string, name?: string, names: Iterable<string> = []): AdminProblem {
  if (name === undefined) return new AdminProblem('notFound', `There is no ${shorten(what)}.`)
  const near = suggest(name, names) || '.'
  return new AdminProblem('notFound', `There is no ${shorten(what)} ${shorten(name)}${near}`)
}

/** A foreign name, for a message. */
export function shorten(name: string): string {
  return showLine(name, 200)
}

interface ForeignError {
  readonly name?: string
  readonly code?: string
  readonly statusCode?: number
  readonly message?: string
}

/** PostgreSQL's code for a row locked too long by another transaction. */
const lockNotAvailable = '55P03'

/** Maps errors of Fastify, the steps and the store to the table. */
export function asProblem(error: unknown): AdminProblem {
  if (error instanceof AdminProblem) return error
  const { name, code = '', statusCode, message = '' } = error as ForeignError
  if ((name === 'Refusal' && code === 'overloaded') || code === lockNotAvailable)
    return new AdminProblem('overloaded', 'Try again in a moment.')
  if (statusCode === 413) return new AdminProblem('tooLarge', message)
  if (statusCode === 414) return new AdminProblem('notFound', 'The URL is too long.')
  if (statusCode === 415) return new AdminProblem('contentUnsupported', 'Send the body as application/json.')
  if (statusCode === 400 || code.startsWith('FST_ERR_CTP')) return new AdminProblem('invalid', message)
  return new AdminProblem('unexpected', 'See the error log for the cause, under this request id.', { cause: error })
}
