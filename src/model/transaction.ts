/**
 * The identity of one call, and what the pipeline knows of it so far: all that a refusal and the logs know of earlier
 * steps (specification 4, 7).
 */
import type { OperationResponse } from './call.ts'
import type { Operation } from './operation.ts'
import type { Operator } from './operator.ts'
import type { RateLimitStatus } from './rate-limit-status.ts'
import type { RequestTarget } from './request-target.ts'
import { type Step, steps } from './step.ts'
import type { Timeline } from './timeline.ts'
import type { Trace, TraceParent } from './trace.ts'
import type { UriDocument } from './uri/uri-document.ts'

export interface Identity {
  /** A GUID, unique per call, never taken from the caller. */
  readonly id: string
  /** Epoch milliseconds, with a fraction down to microseconds. */
  readonly begun: number
  /** JSESSIONID: the request's own if it has our form, otherwise a new one. */
  readonly sessionId: string
  /** The call came over TLS: its cookie is `Secure`. */
  readonly isSecure: boolean
  /** 32 hex digits: the trace id of the request's `traceparent`, otherwise a new one. */
  readonly ecid: string
  readonly rid: string
  /** The request's `traceparent`; undefined without a valid one. */
  readonly parent?: TraceParent | undefined
  /** Undefined if this call is not traced. */
  readonly trace?: Trace | undefined
  /** Undefined for what is no call. */
  readonly timeline?: Timeline | undefined
  /** The revision that answers this call; undefined if files are served. */
  readonly revision?: number | undefined
}

/** The facts known so far. */
export interface Transaction extends Identity {
  target?: RequestTarget | undefined
  operation?: Operation | undefined
  operator?: Operator | undefined
  uri?: UriDocument | undefined
  /** Undefined if the call did not reach the cache. */
  readonly isCached?: boolean | undefined
  /** The one at work: after the last that passed. */
  readonly step?: Step | undefined
  /** The job, if this is a run of one instead of a call. */
  readonly job?: string | undefined
  message?: LoggedMessage | undefined
  /** With its limits; undefined if none applies. */
  readonly rateLimit?: RateLimitStatus | undefined
  /** What is to be done at its end: it then no longer counts towards load and limits. */
  releases?: (() => void)[] | undefined
}

/** The part of a request message that logs keep. */
export interface LoggedMessage {
  /** The first part of the body; undefined unless logs keep whole messages. */
  readonly loggedBody: Buffer | undefined
}

/** The results that are kept, by step. */
interface StepResults {
  readonly target: RequestTarget
  readonly operation: Operation
  readonly authentication: Operator
  readonly limits: RateLimitStatus | undefined
  readonly uri: UriDocument
  readonly cache: OperationResponse | undefined
  readonly message: LoggedMessage
}

/** The member of the transaction that keeps the result of a step. */
const memberOf: Readonly<Partial<Record<Step, keyof KeptResults>>> = {
  target: 'target',
  operation: 'operation',
  authentication: 'operator',
  limits: 'rateLimit',
  uri: 'uri',
  cache: 'cached',
  message: 'message',
}

type KeptResults = Partial<
  Record<'target' | 'operation' | 'operator' | 'rateLimit' | 'uri' | 'cached' | 'message', unknown>
>

export type ResultOf<Name extends Step> = Name extends keyof StepResults ? StepResults[Name] : unknown

const cacheStep = steps.indexOf('cache')

/** For a call that the pipeline answers. */
export class OpenTransaction implements Transaction {
  readonly id: string
  readonly begun: number
  readonly sessionId: string
  readonly isSecure: boolean
  readonly ecid: string
  readonly rid: string
  readonly parent: TraceParent | undefined
  readonly trace: Trace | undefined
  readonly timeline: Timeline | undefined
  readonly revision: number | undefined
  target: RequestTarget | undefined
  operation: Operation | undefined
  operator: Operator | undefined
  uri: UriDocument | undefined
  cached: OperationResponse | undefined
  message: LoggedMessage | undefined
  rateLimit: RateLimitStatus | undefined
  readonly releases: (() => void)[] = []
  #last: Step | undefined

  constructor({ id, begun, sessionId, isSecure, ecid, rid, parent, trace, timeline, revision }: Identity) {
    this.id = id
    this.begun = begun
    this.sessionId = sessionId
    this.isSecure = isSecure
    this.ecid = ecid
    this.rid = rid
    this.parent = parent
    this.trace = trace
    this.timeline = timeline
    this.revision = revision
  }

  /** Ends a step, records its time, and keeps its result if logs, metrics or refusals read it. */
  endStep<Name extends Step, Value extends ResultOf<Name>>(step: Name, value: Value): Value {
    const member = memberOf[step]
    if (member) (this as KeptResults)[member] = value
    this.#last = step
    this.timeline?.pass(step)
    return value
  }

  get step(): Step {
    return (this.#last === undefined ? steps[0] : steps[steps.indexOf(this.#last) + 1]) ?? 'reply'
  }

  get isCached(): boolean | undefined {
    return steps.indexOf(this.step) > cacheStep ? this.cached !== undefined : undefined
  }
}
