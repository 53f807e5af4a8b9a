/**
 * Traces of calls, for an OpenTelemetry collector by OTLP/HTTP (specification 20.12, 20.13): a reader of the observations.
 * A traced call leaves a few references; spans are made and sent in batches beside the calls, and what a collector does
 * not take is counted and forgotten.
 */
import type { Answered, Observe } from '../model/observation.ts'
import { isSampled, Trace, type Traces } from '../model/trace.ts'
import { type Masking, maskings } from './masking.ts'
import { type Resource, type TracedCall, takeCall, writeSpans } from './write-spans.ts'

export interface Tracing extends Traces {
  readonly observe: Observe
  /** Spans since the start: exported, dropped. */
  readonly spans: { readonly exported: number; readonly dropped: number }
  /** Sends what is left, for a short time. */
  close(): Promise<void>
}

export interface TracingOptions {
  readonly endpoint: string
  /** Of calls whose caller did not decide, 0 to 1. */
  readonly ratio: number
  readonly resource: Resource
  readonly masking?: Masking
  readonly now: () => number
  /** Told once that spans are lost, and once that they are taken again. */
  readonly observe: Observe
  /** Milliseconds. */
  readonly every?: number
}

/** Calls that wait to be sent; further ones are dropped. */
const maxWaiting = 4096
/** Calls in a request to the collector. */
const batchSize = 512
const timeout = 10_000
const lastWords = 3_000

export function openTracing(options: TracingOptions): Tracing {
  const { endpoint, ratio, resource, now, observe, every = 2000, masking = maskings.known } = options
  const spans = { exported: 0, dropped: 0 }
  const closing = new AbortController()
  const waiting: TracedCall[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let isLosing = false

  const tell = (isLost: boolean, error?: unknown) => {
    if (isLost === isLosing) return
    isLosing = isLost
    const message = isLost
      ? `The collector of traces at ${endpoint} does not take them: ${reasonOf(error)}. Spans are lost until it does.`
      : 'The collector takes traces again.'
    observe({ kind: 'event', level: 'warning', name: isLost ? 'tracesLost' : 'tracesBack', message })
  }
  const send = async (calls: readonly TracedCall[]) => {
    const { body, count } = writeSpans(calls, resource, masking)
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeout), closing.signal]),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`status ${response.status}`)
      spans.exported += count
      tell(false)
    } catch (error) {
      spans.dropped += count
      tell(true, error)
    }
  }
  const sendAll = async () => {
    clearTimeout(timer)
    timer = undefined
    while (waiting.length > 0) await send(waiting.splice(0, batchSize))
  }
  const flush = () => {
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }
  const take = (answered: Answered, trace: Trace) => {
    if (waiting.length >= maxWaiting) {
      spans.dropped += trace.passed.length + 2
      return
    }
    waiting.push(takeCall(answered, trace))
    timer ??= setTimeout(flush, every).unref()
    if (waiting.length >= batchSize) void flush()
  }

  return {
    spans,
    begin(parent, traceId) {
      const isTraced = parent ? isSampled(parent) : isWithin(ratio, traceId)
      return isTraced ? new Trace(parent, now) : undefined
    },
    observe(observation) {
      if (observation.kind !== 'answered') return
      const { trace, target } = observation.transaction
      const isAside = target?.kind !== 'operation' && observation.refusal === undefined // a health check, a description
      if (trace && !isAside) take(observation, trace)
    },
    async close() {
      const cut = setTimeout(() => closing.abort(), lastWords)
      await sending
      await flush()
      clearTimeout(cut)
    },
  }
}

/** By the trace's own id, so that every gateway decides alike. */
function isWithin(ratio: number, traceId: string): boolean {
  return ratio >= 1 || Number.parseInt(traceId.slice(-8), 16) / 2 ** 32 < ratio
}

/** `fetch` says no more than "fetch failed"; the cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause as NodeJS.ErrnoException | undefined
  return cause?.message || cause?.code || error.message
}
