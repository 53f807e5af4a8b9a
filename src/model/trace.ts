/**
 * The trace that a call belongs to, after W3C Trace Context: what its caller said, what goes to whom its handler calls, and
 * where the call is traced itself, when each step of the pipeline was passed (specification 20.12 to 20.14).
 */
import { openRandomTexts } from '../base/random-text.ts'

/** What a valid `traceparent` says, and the `tracestate` beside it. */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** Two hex digits. */
  readonly flags: string
  readonly state: string | undefined
}

/** The steps of the pipeline that take time, in their order. */
export const steps = [
  'target',
  'operation',
  'authenticate',
  'permission',
  'bind',
  'cache',
  'message',
  'handler',
  'reply',
] as const
export type Step = (typeof steps)[number]

/** Begins the trace of a call. */
export interface Traces {
  /** @returns undefined where this call is not traced */
  begin(parent: TraceParent | undefined, traceId: string, begun: number): Trace | undefined
}

/** Of a call that is traced. */
export class Trace {
  readonly parent: TraceParent | undefined
  /** Known in advance: what the handler calls is below it. */
  readonly handlerSpanId = randomSpanId()
  readonly passed: { readonly step: Step; readonly at: number }[] = []
  readonly #now: () => number

  constructor(parent: TraceParent | undefined, now: () => number) {
    this.parent = parent
    this.#now = now
  }

  pass(step: Step): void {
    this.passed.push({ step, at: this.#now() })
  }
}

type HeaderValue = string | string[] | undefined

/** A later version may append fields to those of version 00. */
export function readTraceParent(traceparent: HeaderValue, tracestate: HeaderValue): TraceParent | undefined {
  if (typeof traceparent !== 'string') return undefined
  const match = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(traceparent.trim())
  if (!match) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', more] = match
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (!/[^0]/.test(traceId) || !/[^0]/.test(spanId)) return undefined
  const state = [tracestate ?? []].flat().join(',')
  return { traceId, spanId, flags, state: isTraceState(state) ? state : undefined }
}

interface Traced {
  readonly ecid: string
  readonly parent?: TraceParent | undefined
  readonly trace?: Trace | undefined
}

/** For a call that is made on behalf of this one. */
export function writeTraceHeaders({ ecid, parent, trace }: Traced): Readonly<Record<string, string>> {
  const state: Record<string, string> = parent?.state === undefined ? {} : { tracestate: parent.state }
  if (trace) return { traceparent: `00-${ecid}-${trace.handlerSpanId}-01`, ...state }
  // Not traced here: handed on as it came, so that the callers' trace has no hole.
  if (parent) return { traceparent: `00-${ecid}-${parent.spanId}-${parent.flags}`, ...state }
  return { traceparent: `00-${ecid}-${randomSpanId()}-00` }
}

export const randomSpanId = openRandomTexts(8, 'hex')

/** As much as is needed to hand it on without harm: members, and no line break. */
function isTraceState(state: string): boolean {
  return state.length <= 512 && /^[\x20-\x7e\t]*=[\x20-\x7e\t]*$/.test(state)
}
