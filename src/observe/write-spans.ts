/** Traced calls as OTLP/JSON: a span for each call, and below it one for each step that it passed (specification 20.13). */

import { showLine } from '../base/escape.ts'
import type { Answered } from '../model/observation.ts'
import { methods } from '../model/operation-terms.ts'
import { randomSpanId, type Step, steps, type Trace } from '../model/trace.ts'
import { type Known, knownOf, type Masking } from './masking.ts'

/** Who tells: `service.name`, `host.name`… */
export type Resource = Readonly<Record<string, string>>

/** What is at hand when a call ends; neither message nor body, which would stay in memory with it. */
export interface TracedCall {
  readonly trace: Trace
  readonly traceId: string
  readonly begun: number
  readonly ended: number
  readonly method: string
  readonly target: string
  readonly known: Known
  readonly status: number
  /** By what names it is told, in the words of OpenTelemetry where it has some. */
  readonly facts: Readonly<Record<string, string | number | boolean | undefined>>
  readonly refusal: string | undefined
  readonly operation: string | undefined
}

export function takeCall({ call, transaction, reply, refusal, ended }: Answered, trace: Trace): TracedCall {
  const { operation, uri, id, ecid, begun, revision, isCached, isSecure } = transaction
  return {
    trace,
    traceId: ecid,
    begun,
    ended,
    method: call.method,
    target: call.target,
    known: knownOf(transaction),
    status: reply.status,
    facts: {
      'url.scheme': isSecure ? 'https' : 'http',
      'client.address': call.remoteAddress,
      'http.route': operation?.templates.find(({ index }) => index === uri?.uriResourceIndex)?.source,
      'ig.operation': operation?.id,
      'ig.service': operation?.service,
      'ig.transaction_id': id,
      'ig.revision': revision,
      'ig.cached': isCached,
      'ig.refusal': refusal?.code,
    },
    refusal: refusal?.code,
    operation: operation?.id,
  }
}

export function writeSpans(calls: readonly TracedCall[], resource: Resource, masking: Masking) {
  const spans = calls.flatMap((call) => writeCall(call, masking))
  const scopeSpans = [{ scope: { name: 'integration-gateway' }, spans }]
  const resourceSpans = [{ resource: { attributes: writeAttributes(resource) }, scopeSpans }]
  return { body: JSON.stringify({ resourceSpans }), count: spans.length }
}

const kinds = { internal: 1, server: 2 }
const failed = { code: 2 }

function writeCall(call: TracedCall, masking: Masking) {
  const { trace, traceId, begun, ended, status, refusal, facts } = call
  const method = (methods as readonly string[]).includes(call.method) ? call.method : '_OTHER'
  const isFault = status >= 500
  const [path = ''] = call.target.split('?')
  const root = {
    traceId,
    spanId: trace.spanId,
    ...(trace.parent && { parentSpanId: trace.parent.spanId }),
    ...(trace.parent?.state !== undefined && { traceState: trace.parent.state }),
    name: call.operation ?? (method === '_OTHER' ? 'HTTP' : method),
    kind: kinds.server,
    startTimeUnixNano: toNanoseconds(begun),
    endTimeUnixNano: toNanoseconds(ended),
    attributes: writeAttributes({
      'http.request.method': method,
      'http.response.status_code': status,
      'url.path': showLine(masking.url(path, call.known), 600),
      ...facts,
      'error.type': isFault ? (refusal ?? String(status)) : undefined,
    }),
    ...(isFault && { status: failed }),
  }
  let from = begun
  const below = (step: Step, until: number, isLast = false) => {
    const isRefused = isLast && refusal !== undefined
    const span = {
      traceId,
      spanId: step === 'handler' ? trace.handlerSpanId : randomSpanId(),
      parentSpanId: trace.spanId,
      name: step,
      kind: kinds.internal,
      startTimeUnixNano: toNanoseconds(from),
      endTimeUnixNano: toNanoseconds(until),
      attributes: writeAttributes(isRefused ? { 'ig.refusal': refusal } : {}),
      ...(isRefused && isFault && { status: failed }),
    }
    from = until
    return span
  }
  const passed = trace.passed.map(({ step, at }) => below(step, at))
  return [root, ...passed, below(lastStep(call), ended, true)]
}

/** What was refused was refused by the step behind the last one that was passed; all else was replied to. */
function lastStep({ trace, refusal }: TracedCall): Step {
  const last = trace.passed.at(-1)
  return refusal === undefined ? 'reply' : (steps[last ? steps.indexOf(last.step) + 1 : 0] ?? 'reply')
}

function writeAttributes(facts: Readonly<Record<string, string | number | boolean | undefined>>) {
  return Object.entries(facts).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: toValue(value) }]))
}

function toValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(value) }
}

/** Of milliseconds with a fraction; a number has no room for as many digits. */
function toNanoseconds(time: number): string {
  const microseconds = Math.round(time * 1000)
  return `${microseconds}000`
}
