/**
 * Traces of calls by OpenTelemetry's SDK (specification 20.12, 20.13): an observer. The SDK decides
 * which calls are traced, and has the queue, the batches and the retries; spans that the collector does not accept are
 * counted and dropped.
 */

import type * as Api from '@opentelemetry/api'
import type * as Sdk from '@opentelemetry/sdk-trace-base'
import { setTimeout } from '../../base/timers.ts'
import { type AnsweredCall, listSteps, recordCall } from '../../model/call-record.ts'
import type { Observe } from '../../model/observation.ts'
import type { Wait } from '../../model/timeline.ts'
import { randomSpanId, Trace, type TraceParent, type Traces } from '../../model/trace.ts'
import { type Masking, maskings } from '../../observe/masking/masking.ts'
import { describeCall, describeStatement } from './trace-call.ts'

export interface Tracing extends Traces {
  readonly observe: Observe
  /** Spans since the start: exported, dropped. */
  readonly spans: { readonly exported: number; readonly dropped: number }
  /** Sends pending spans. */
  flush(): Promise<void>
  /** Sends the rest, within a short time. */
  close(): Promise<void>
}

/** The parts of OpenTelemetry in use; loaded only if calls are traced. */
export interface OpenTelemetry {
  readonly api: typeof Api
  readonly sdk: typeof Sdk
  readonly exporter: Sdk.SpanExporter
  readonly resource: NonNullable<Sdk.TracerConfig['resource']>
}

export interface TracingOptions {
  readonly openTelemetry: OpenTelemetry
  readonly endpoint: string
  /** For calls whose caller did not decide, 0 to 1; undefined: the sampler of `OTEL_TRACES_SAMPLER`. */
  readonly ratio: number | undefined
  readonly masking?: Masking
  /** `db.system.name` of the database of handlers. */
  readonly databaseSystem?: 'sqlite' | 'postgresql'
  /** Reports once that spans are dropped, and once that they are accepted again. */
  readonly observe: Observe
}

/** Defaults for `OTEL_BSP_*`: queued spans, spans of a request to the collector, milliseconds between two. */
const queue = { maxQueueSize: 40_960, maxExportBatchSize: 5_120, scheduledDelayMillis: 2_000 }
const flushTime = 3_000

class SampledTrace extends Trace {
  readonly span: Api.Span

  constructor(span: Api.Span, parent: TraceParent | undefined) {
    super(parent)
    this.span = span
  }
}

export function openTracing(options: TracingOptions): Tracing {
  const { openTelemetry, ratio, masking = maskings.known, databaseSystem = 'sqlite' } = options
  const { api, sdk, resource } = openTelemetry
  const counting = countSpans(options)
  const ids = { trace: '', span: '' }
  const bounds = readBounds(process.env)
  const processor = new sdk.BatchSpanProcessor(counting.exporter, { ...bounds })
  const provider = new sdk.BasicTracerProvider({
    resource,
    spanProcessors: [processor],
    idGenerator: { generateTraceId: () => ids.trace, generateSpanId: () => ids.span },
    ...(ratio !== undefined && { sampler: new sdk.AlwaysOnSampler() }), // of the traced calls
  })
  const isWanted = ratio === undefined ? () => true : decideByRatio(ratio, openTelemetry)
  const tracer = provider.getTracer('integration-gateway')
  const start = (name: string, span: Api.SpanOptions, context: Api.Context, id = randomSpanId()) => {
    ids.span = id
    return tracer.startSpan(name, span, context)
  }
  const takeStatements = (waits: readonly Wait[], context: Api.Context) => {
    for (const statement of waits) {
      const { kind, summary, from, until, failure } = statement
      if (kind !== 'database') continue // the other service may be traced by itself
      const attributes = describeStatement(statement, databaseSystem)
      const span = start(summary, { kind: api.SpanKind.CLIENT, startTime: from, attributes }, context)
      if (failure !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end(until)
    }
  }
  const take = (answered: AnsweredCall, trace: SampledTrace) => {
    const { span, handlerSpanId } = trace
    const { steps = [], waits = [] } = answered.transaction.timeline ?? {}
    if (!counting.admits(steps.length + waits.length + 2, bounds.maxQueueSize)) return
    const { name, attributes, isFault } = describeCall(answered, masking)
    span.updateName(name).setAttributes(attributes)
    if (isFault) span.setStatus({ code: api.SpanStatusCode.ERROR })
    span.end(answered.ended)
    const context = api.trace.setSpan(api.ROOT_CONTEXT, span)
    for (const { step, from, until, refusal } of listSteps(recordCall(answered))) {
      const below = start(step, { startTime: from }, context, step === 'handler' ? handlerSpanId : undefined)
      if (refusal !== undefined) below.setAttribute('ig.refusal', refusal)
      if (refusal !== undefined && isFault) below.setStatus({ code: api.SpanStatusCode.ERROR })
      below.end(until)
      if (step === 'handler') takeStatements(waits, api.trace.setSpan(api.ROOT_CONTEXT, below))
    }
  }
  const flush = () => processor.forceFlush().catch(() => {}) // the exporter has counted its losses

  return {
    spans: counting.spans,
    begin(parent, traceId, begun) {
      if (!isWanted(parent, traceId)) return undefined
      ids.trace = traceId
      const context = parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, toContext(parent, api)) : api.ROOT_CONTEXT
      const span = start('call', { kind: api.SpanKind.SERVER, startTime: begun }, context)
      return isSampled(span.spanContext().traceFlags) ? new SampledTrace(span, parent) : undefined
    },
    observe(observation) {
      if (observation.kind !== 'answered') return
      const { trace, target } = observation.transaction
      const isAside = target?.kind !== 'operation' && observation.refusal === undefined // a health check, a description
      if (trace instanceof SampledTrace && !isAside) take(observation, trace)
    },
    flush,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const cut = setTimeout(resolve, flushTime)
      await Promise.race([flush().then(() => provider.shutdown().catch(() => {})), promise])
      clearTimeout(cut)
      counting.giveUp()
    },
  }
}

/** Decided before anything is allocated, so that a call without a trace costs next to nothing. */
function decideByRatio(ratio: number, { api, sdk }: OpenTelemetry) {
  const sampler = new sdk.TraceIdRatioBasedSampler(ratio)
  return (parent: TraceParent | undefined, traceId: string): boolean => {
    if (parent) return isSampled(Number.parseInt(parent.flags, 16))
    return sampler.shouldSample(api.ROOT_CONTEXT, traceId).decision === sdk.SamplingDecision.RECORD_AND_SAMPLED
  }
}

const isSampled = (flags: number) => (flags & 1) === 1

/** Wraps the exporter: counts accepted and dropped spans, and those that wait for it. */
function countSpans({ openTelemetry: { exporter }, endpoint, observe }: TracingOptions) {
  const spans = { exported: 0, dropped: 0 }
  let waiting = 0
  let sending = 0
  let isLosing = false
  const report = (isLost: boolean, error?: unknown) => {
    if (isLost === isLosing) return
    isLosing = isLost
    const message = isLost
      ? `The trace collector at ${endpoint} rejects spans: ${reasonOf(error)}. Spans are dropped until it accepts them.`
      : 'The trace collector accepts spans again.'
    observe({ kind: 'event', level: 'warning', name: isLost ? 'tracesLost' : 'tracesBack', message })
  }
  const counted: Sdk.SpanExporter = {
    export(batch, done) {
      waiting -= batch.length
      sending += batch.length
      exporter.export(batch, (result) => {
        sending -= batch.length
        spans[result.code === 0 ? 'exported' : 'dropped'] += batch.length
        report(result.code !== 0, result.error)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
  return {
    spans,
    exporter: counted,
    /** The SDK would drop them too, silently. */
    admits(more: number, max: number): boolean {
      const hasRoom = waiting + more <= max
      if (hasRoom) waiting += more
      else spans.dropped += more
      return hasRoom
    },
    giveUp() {
      spans.dropped += waiting + sending
      waiting = 0
      sending = 0
    },
  }
}

/** The SDK reads these variables itself if nothing is passed; the limit of the queue is needed here too. */
function readBounds(environment: NodeJS.ProcessEnv): typeof queue {
  const read = (name: string, fallback: number) => Number(environment[name]?.trim() || fallback) || fallback
  return {
    maxQueueSize: read('OTEL_BSP_MAX_QUEUE_SIZE', queue.maxQueueSize),
    maxExportBatchSize: read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', queue.maxExportBatchSize),
    scheduledDelayMillis: read('OTEL_BSP_SCHEDULE_DELAY', queue.scheduledDelayMillis),
  }
}

function toContext({ traceId, spanId, flags, state }: TraceParent, api: typeof Api): Api.SpanContext {
  const traceFlags = Number.parseInt(flags, 16)
  return {
    traceId,
    spanId,
    traceFlags,
    isRemote: true,
    ...(state !== undefined && { traceState: api.createTraceState(state) }),
  }
}

/** An error of the connection may contain only its code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, cause } = error as { readonly code?: string | number; readonly cause?: NodeJS.ErrnoException }
  return cause?.message || cause?.code || (typeof code === 'number' ? `status ${code}` : error.message || String(code))
}
