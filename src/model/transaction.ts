/**
 * One call's identity, and what the pipeline has found out about it so far: the only thing that a refusal and the
 * logs know of the steps before (specification 4, 7).
 */
import type { OperationResponse } from './call.ts'
import type { Operation } from './operation.ts'
import type { Operator } from './operator.ts'
import { type Step, steps, type Trace, type TraceParent } from './trace.ts'
import type { RequestTarget } from './uri/target.ts'
import type { UriDocument } from './uri/uri-document.ts'

export interface Identity {
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
}

/** What is known of a call by now. */
export interface Transaction extends Identity {
  target?: RequestTarget | undefined
  operation?: Operation | undefined
  operator?: Operator | undefined
  uri?: UriDocument | undefined
  /** Undefined where the call did not get as far as the cache. */
  readonly isCached?: boolean | undefined
  /** Only where the log wants whole messages. */
  requestBody?: Buffer | undefined
}

/** What a step finds, by name. */
interface Found {
  readonly target: RequestTarget
  readonly operation: Operation
  readonly operator: Operator
  readonly uri: UriDocument
  readonly cached: OperationResponse | undefined
}

type Kept = { -readonly [Name in keyof Found]?: Found[Name] | undefined }

/** Which step finds it. */
const stepOf: Readonly<Record<keyof Found, Step>> = {
  target: 'target',
  operation: 'operation',
  operator: 'authenticate',
  uri: 'bind',
  cached: 'cache',
}

const cacheStep = steps.indexOf('cache')

/** Of a call that the pipeline answers. */
export class OpenTransaction implements Transaction {
  readonly id: string
  readonly begun: number
  readonly sessionId: string
  readonly isSecure: boolean
  readonly ecid: string
  readonly rid: string
  readonly parent: TraceParent | undefined
  readonly trace: Trace | undefined
  readonly revision: number | undefined
  target: RequestTarget | undefined
  operation: Operation | undefined
  operator: Operator | undefined
  uri: UriDocument | undefined
  cached: OperationResponse | undefined
  requestBody: Buffer | undefined
  #last: Step | undefined

  constructor({ id, begun, sessionId, isSecure, ecid, rid, parent, trace, revision }: Identity) {
    this.id = id
    this.begun = begun
    this.sessionId = sessionId
    this.isSecure = isSecure
    this.ecid = ecid
    this.rid = rid
    this.parent = parent
    this.trace = trace
    this.revision = revision
  }

  /** Keeps what a step has found, for logs, metrics and refusals. */
  found<Name extends keyof Found, Value extends Found[Name]>(name: Name, value: Value): Value {
    ;(this as Kept)[name] = value
    return this.passed(stepOf[name], value)
  }

  /** The call has passed a step; where it is traced, at this time. */
  passed<Value>(step: Step, value: Value): Value {
    this.#last = step
    this.trace?.pass(step)
    return value
  }

  get isCached(): boolean | undefined {
    const isPast = this.#last !== undefined && steps.indexOf(this.#last) >= cacheStep
    return isPast ? this.cached !== undefined : undefined
  }
}
