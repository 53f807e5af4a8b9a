/**
 * One call's identity, and what the pipeline has found out about it so far: the only thing that a refusal and the
 * logs know of the steps before (specification 4, 7).
 */
import type { Operation } from './operation.ts'
import type { Operator } from './operator.ts'
import type { Trace, TraceParent } from './trace.ts'
import type { Target } from './uri/target.ts'
import type { UriDocument } from './uri/uri-document.ts'

export interface Transaction {
  /** A GUID, unique per call, never taken from the caller. */
  readonly id: string
  /** Epoch milliseconds, with a fraction down to microseconds. */
  readonly begun: number
  /** JSESSIONID: the request's own where it has our form, else a new one. */
  readonly sessionId: string
  /** The call came over TLS: its cookie is `Secure`. */
  readonly isSecure: boolean
  /** 32 hex digits: the trace id of the request's `traceparent`, else a new one. */
  readonly ecid: string
  readonly rid: string
  /** What the request's `traceparent` said; undefined where it had none that is valid. */
  readonly parent?: TraceParent | undefined
  /** Undefined where this call is not traced. */
  readonly trace?: Trace | undefined
  /** Of the configuration that answers; undefined where files are served. */
  readonly revision?: number | undefined
  /** Set by the pipeline as soon as each is known. */
  target?: Target | undefined
  operation?: Operation | undefined
  operator?: Operator | undefined
  uri?: UriDocument | undefined
  isCached?: boolean | undefined
  /** Only where the log wants whole messages. */
  requestBody?: Buffer | undefined
}
