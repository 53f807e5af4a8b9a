/**
 * Counts calls, refusals and events: an observer (specification 20.2 to 20.4). A call costs
 * a few lookups and additions; each report takes the counts and resets them.
 */
import { mergeContributions } from '../../features.ts'
import type { Reply } from '../../model/call.ts'
import { type AnsweredCall, isSlow } from '../../model/call-record.ts'
import type { Observation, Observe } from '../../model/observation.ts'
import type { Operation } from '../../model/operation.ts'
import { methods } from '../../model/operation-terms.ts'
import { callOutcomes, outcomeOf } from '../../model/refusal.ts'
import type { RequestTarget } from '../../model/request-target.ts'
import {
  bounds,
  type CallCount,
  type CallerCount,
  cacheResults,
  otherCallers,
  type RefusalCount,
  type Report,
  type StatusClass,
  seriesOf,
  statusClasses,
  toSparse,
} from './report.ts'

export interface CallCounter {
  readonly observe: Observe
  /** Counts since the last report. */
  take(): Pick<Report, 'calls' | 'refusals' | 'callers' | 'counters'>
}

export interface CallCounterOptions {
  /** Whether responses of this operation were ever cached: then a call without a hit is a miss. */
  readonly isCached?: (operationId: string) => boolean
}

/** One operation, or one kind of other call, since the last report. */
interface OperationCounts {
  readonly operation: string
  readonly method: string
  /** By status, cache result and outcome: see `labelsOf`. The sums below, then buckets. */
  readonly series: Map<number, Float64Array>
  readonly callers: Map<string, number>
  readonly refusals: Map<string, number>
}

const callsAt = 0
const secondsAt = 1
const maxAt = 2
const slowAt = 3
const bucketsAt = 4
const above = bounds.length

/** Named in one report of an operation: the most frequent callers are among the first of a second. */
const maxCallers = 100

export function openCallCounter({ isCached = () => false }: CallCounterOptions): CallCounter {
  const operations = new Map<string, OperationCounts>()
  let counters: Record<string, number> = Object.fromEntries(watchedSeries.map((series) => [series, 0]))

  const countsOf = (key: string, operation: string, method: string): OperationCounts => {
    const known = operations.get(key)
    if (known) return known
    const counts = { operation, method, series: new Map(), callers: new Map(), refusals: new Map() }
    operations.set(key, counts)
    return counts
  }
  const countsOfOther = (call: AnsweredCall['call'], target: RequestTarget | undefined, isRefused: boolean) => {
    const answered = target && target.kind !== 'operation' ? target.name : '(options)'
    const name = isRefused ? '(unknown)' : answered // never one from a URL
    const method = (methods as readonly string[]).includes(call.method) ? call.method : 'other'
    return countsOf(`${name} ${method}`, name, method)
  }
  const count = (answered: AnsweredCall) => {
    const { call, transaction, reply, refusal, ended } = answered
    const { target, operation, operator, isCached: isHit, begun } = transaction
    const counts = operation
      ? countsOf(operation.id, operation.id, operation.method)
      : countsOfOther(call, target, refusal !== undefined)
    const cache = isHit ? 1 : isHit === false && isMiss(operation) ? 2 : 0
    const outcome = outcomeOf(reply, refusal)
    const key = (reply.status * cacheResults.length + cache) * callOutcomes.length + callOutcomes.indexOf(outcome)
    const series = counts.series.get(key) ?? new Float64Array(bucketsAt + above + 1)
    counts.series.set(key, series)
    series[callsAt] = (series[callsAt] as number) + 1
    if (outcome !== 'refused') addDuration(series, (ended - begun) / 1000)
    if (isSlow(answered)) series[slowAt] = (series[slowAt] as number) + 1
    countCaller(counts.callers, operator?.id ?? '')
    if (reply.replay) add(replaySeries(reply.replay))
    if (refusal) counts.refusals.set(refusal.code, (counts.refusals.get(refusal.code) ?? 0) + 1)
  }
  const isMiss = (operation: Operation | undefined) => operation?.method === 'GET' && isCached(operation.id)
  const add = (series: string, count = 1) => {
    counters[series] = (counters[series] ?? 0) + count
  }

  return {
    observe(observation: Observation) {
      if (observation.kind === 'answered') {
        if (observation.trial === undefined) count(observation)
      } else if (observation.kind === 'note') add(seriesOf('ig_notes_total', { level: observation.level }))
      else if (observation.kind === 'event')
        add(seriesOf('ig_events_total', { event: observation.name, level: observation.level }))
    },
    take() {
      const calls: CallCount[] = []
      const refusals: RefusalCount[] = []
      const callers: CallerCount[] = []
      for (const { operation, method, ...counts } of operations.values()) {
        for (const [key, series] of counts.series)
          calls.push({ operation, method, ...labelsOf(key), ...sumsOf(series) })
        for (const [code, count] of counts.refusals) refusals.push({ operation, code, count })
        for (const [operator, count] of counts.callers) callers.push({ operation, operator, count })
      }
      operations.clear()
      const taken = { calls, refusals, callers, counters }
      counters = {}
      return taken
    },
  }
}

function replaySeries(body: NonNullable<Reply['replay']>): string {
  return seriesOf('ig_idempotent_replays_total', { body })
}

/** Series for alerts exist from the start: an increase from nothing is not visible. */
const watchedSeries = [
  ...Object.entries({
    storeAway: 'error',
    storeFull: 'error',
    storeFailed: 'exception',
    storeFileGone: 'error',
    storeDamaged: 'error',
    revisionRefused: 'error',
    revisionUnreadable: 'error',
    keysUnreachable: 'error',
    providerUnusable: 'error',
    rollingFailed: 'error',
    signInFailed: 'warning',
    signedIn: 'information',
    clockOff: 'warning',
    uncaughtException: 'exception',
    unhandledRejection: 'exception',
    workerDied: 'error',
    workerStalled: 'error',
    workerBackoff: 'error',
    supervisorGone: 'warning',
    ...mergeContributions('watchedEvents'),
  }).map(([event, level]) => seriesOf('ig_events_total', { event, level })),
  ...(['whole', 'truncated'] as const).map(replaySeries),
  ...['warning', 'error', 'exception'].map((level) => seriesOf('ig_notes_total', { level })),
]

function addDuration(series: Float64Array, seconds: number): void {
  let bucket = 0
  while (bucket < above && seconds > (bounds[bucket] as number)) bucket += 1
  series[bucketsAt + bucket] = (series[bucketsAt + bucket] as number) + 1
  series[secondsAt] = (series[secondsAt] as number) + Math.max(0, seconds)
  if (seconds > (series[maxAt] as number)) series[maxAt] = seconds
}

function countCaller(callers: Map<string, number>, caller: string): void {
  const name = callers.has(caller) || callers.size < maxCallers ? caller : otherCallers
  callers.set(name, (callers.get(name) ?? 0) + 1)
}

function labelsOf(key: number): Pick<CallCount, 'status' | 'code' | 'cache' | 'outcome'> {
  const outcome = callOutcomes[key % callOutcomes.length] ?? 'served'
  const answered = Math.floor(key / callOutcomes.length)
  const cache = cacheResults[answered % cacheResults.length] ?? 'none'
  const code = Math.floor(answered / cacheResults.length)
  return { status: statusClassOf(code), code, cache, outcome }
}

function sumsOf(series: Float64Array): Pick<CallCount, 'count' | 'seconds' | 'longest' | 'slow' | 'buckets'> {
  const buckets = toSparse(series.subarray(bucketsAt))
  const [count, seconds, longest, slow] = series as unknown as [number, number, number, number]
  return { count, seconds, longest, slow, buckets }
}

function statusClassOf(status: number): StatusClass {
  return statusClasses[Math.min(4, Math.max(0, Math.floor(status / 100) - 1))] as StatusClass
}
