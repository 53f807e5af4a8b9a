/** The trace of a call, after W3C Trace Context: the context of the caller, and that for calls of the handler (specification 20.12 to 20.14). */
import { openRandomTexts } from '../base/random-text.ts'

/** The content of a valid `traceparent`, with its `tracestate`. */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** Two hex digits. */
  readonly flags: string
  readonly state: string | undefined
}

/** Begins the trace of a call. */
export interface Traces {
  /** @returns undefined if this call is not traced */
  begin(parent: TraceParent | undefined, traceId: string, begun: number): Trace | undefined
}

/** For a traced call. */
export class Trace {
  readonly parent: TraceParent | undefined
  /** Known in advance: it is the parent of calls that the handler makes. */
  readonly handlerSpanId = randomSpanId()

  constructor(parent: TraceParent | undefined) {
    this.parent = parent
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

interface TraceContext {
  readonly ecid: string
  readonly parent?: TraceParent | undefined
  readonly trace?: Trace | undefined
}

/** For a call made on behalf of this one. */
export function writeTraceHeaders({ ecid, parent, trace }: TraceContext): Readonly<Record<string, string>> {
  const state: Record<string, string> = parent?.state === undefined ? {} : { tracestate: parent.state }
  if (trace) return { traceparent: `00-${ecid}-${trace.handlerSpanId}-01`, ...state }
  // Not traced here: passed on unchanged, so that the callers' trace has no gap.
  if (parent) return { traceparent: `00-${ecid}-${parent.spanId}-${parent.flags}`, ...state }
  return { traceparent: `00-${ecid}-${randomSpanId()}-00` }
}

export const randomSpanId = openRandomTexts(8, 'hex')

/** Checked enough to pass it on safely: members, and no line break. */
function isTraceState(state: string): boolean {
  return state.length <= 512 && /^[\x20-\x7e\t]*=[\x20-\x7e\t]*$/.test(state)
}
