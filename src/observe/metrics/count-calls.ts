/**
 * Counts calls, refusals and events: a reader of the stream of observations (specification 20.2 to 20.4). A call costs
 * a few lookups and additions; each report takes the counts and resets them.
 */
import type { Reply } from '../../model/call.ts'
import type { Answered, Observation, Observe } from '../../model/observation.ts'
import type { Operation } from '../../model/operation.ts'
import { methods } from '../../model/operation-terms.ts'
import { outcomeOf, outcomes } from '../../model/refusal.ts'
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

/** One operation, since the last report. */
interface Slot {
  readonly operation: string
  readonly method: string
  /** That it is one of; undefined once it is given up. */
  owner: ReadonlyMap<string, Slot> | undefined
  /** Keeps it for its next call. */
  keeper: Operation | undefined
  /** By status, cache result and outcome: the sums below, then buckets. */
  readonly series: Map<number, Float64Array>
  readonly callers: Map<string, number>
  /** The last of both: most calls of an operation are alike, and two maps of many operations are far in memory. */
  place: number
  sums: Float64Array
  caller: string
  ofCaller: number
  refusals: Map<string, number> | undefined
  isIdle: boolean
}

const callsAt = 0
const secondsAt = 1
const longestAt = 2
/** Behind the sums, the shortest first: a usual call needs two lines of the processor's cache. */
const bucketsAt = 3
const above = bounds.length

/** Named in one report of an operation: the most frequent callers are among the first of a second. */
const mostCallers = 100

export function openCallCounter({ isCached = () => false }: CallCounterOptions): CallCounter {
  const slots = new Map<string, Slot>()
  let counters: Record<string, number> = Object.fromEntries(watchedSeries.map((series) => [series, 0]))

  const slotOf = (key: string, operation: string, method: string): Slot => {
    const known = slots.get(key)
    if (known) return known
    const slot: Slot = {
      operation,
      method,
      owner: slots,
      keeper: undefined,
      series: new Map(),
      callers: new Map(),
      place: -1,
      sums: noSums,
      caller: '',
      ofCaller: 0,
      refusals: undefined,
      isIdle: false,
    }
    slots.set(key, slot)
    return slot
  }
  const slotOfOperation = (operation: Operation): Slot => {
    const kept = operation.counted as Slot | undefined
    if (kept?.owner === slots) return kept
    const slot = slotOf(operation.id, operation.id, operation.method)
    slot.keeper = operation
    operation.counted = slot
    return slot
  }
  const giveUp = (key: string, slot: Slot) => {
    slots.delete(key)
    slot.owner = undefined
    if (slot.keeper?.counted === slot) slot.keeper.counted = undefined
  }
  const slotOfOther = (call: Answered['call'], target: RequestTarget | undefined, isRefused: boolean) => {
    const answered = target && target.kind !== 'operation' ? target.name : '(options)'
    const name = isRefused ? '(unknown)' : answered // never one from a URL
    const method = (methods as readonly string[]).includes(call.method) ? call.method : 'other'
    return slotOf(`${name} ${method}`, name, method)
  }
  const count = ({ call, transaction, reply, refusal, ended }: Answered) => {
    const { target, operation, operator, isCached: isHit, begun } = transaction
    const slot = operation ? slotOfOperation(operation) : slotOfOther(call, target, refusal !== undefined)
    const cache = isHit ? 1 : isHit === false && isMiss(operation) ? 2 : 0
    const outcome = outcomeOf(reply, refusal)
    const place = (reply.status * cacheResults.length + cache) * outcomes.length + outcomes.indexOf(outcome)
    const series = slot.place === place ? slot.sums : seriesOfSlot(slot, place)
    series[callsAt] = (series[callsAt] as number) + 1
    if (outcome !== 'refused') addDuration(series, (ended - begun) / 1000)
    const caller = operator?.id ?? ''
    if (slot.caller !== caller) changeCaller(slot, caller)
    slot.ofCaller += 1
    slot.isIdle = false
    if (reply.replay) add(replaySeries(reply.replay))
    if (refusal === undefined) return
    slot.refusals ??= new Map()
    slot.refusals.set(refusal.code, (slot.refusals.get(refusal.code) ?? 0) + 1)
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
      for (const [key, slot] of slots) {
        if (slot.isIdle) giveUp(key, slot)
        else takeSlot(slot, calls, refusals, callers)
      }
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
    monitorAway: 'error',
    rollingFailed: 'error',
    signInFailed: 'warning',
    signedIn: 'information',
    clockOff: 'warning',
    idempotencyFull: 'warning',
    uncaughtException: 'exception',
    unhandledRejection: 'exception',
    workerDied: 'error',
    workerStalled: 'error',
    workerBackoff: 'error',
    jobLost: 'error',
    jobSkipped: 'warning',
    supervisorGone: 'warning',
  }).map(([event, level]) => seriesOf('ig_events_total', { event, level })),
  ...(['whole', 'truncated'] as const).map(replaySeries),
  ...['warning', 'error', 'exception'].map((level) => seriesOf('ig_notes_total', { level })),
]

const noSums = new Float64Array()

function seriesOfSlot(slot: Slot, place: number): Float64Array {
  const sums = slot.series.get(place) ?? new Float64Array(bucketsAt + above + 1)
  slot.series.set(place, sums)
  slot.place = place
  slot.sums = sums
  return sums
}

function addDuration(series: Float64Array, seconds: number): void {
  let bucket = 0
  while (bucket < above && seconds > (bounds[bucket] as number)) bucket += 1
  series[bucketsAt + bucket] = (series[bucketsAt + bucket] as number) + 1
  series[secondsAt] = (series[secondsAt] as number) + Math.max(0, seconds)
  if (seconds > (series[longestAt] as number)) series[longestAt] = seconds
}

function changeCaller(slot: Slot, caller: string): void {
  const { callers, ofCaller } = slot
  if (ofCaller > 0) {
    const name = callers.has(slot.caller) || callers.size < mostCallers ? slot.caller : otherCallers
    callers.set(name, (callers.get(name) ?? 0) + ofCaller)
  }
  slot.caller = caller
  slot.ofCaller = 0
}

function takeSlot(slot: Slot, calls: CallCount[], refusals: RefusalCount[], callers: CallerCount[]): void {
  const { operation, method } = slot
  for (const [place, series] of slot.series) {
    if (series[callsAt] === 0) {
      slot.series.delete(place)
      if (slot.place === place) slot.place = -1
      continue
    }
    const outcome = outcomes[place % outcomes.length] ?? 'served'
    const answered = Math.floor(place / outcomes.length)
    const cache = cacheResults[answered % cacheResults.length] ?? 'none'
    const code = Math.floor(answered / cacheResults.length)
    const buckets: number[] = []
    for (let index = 0; index <= above; index += 1) {
      const inBucket = series[bucketsAt + index] as number
      if (inBucket > 0) buckets.push(index, inBucket)
    }
    const [count, seconds, longest] = series as unknown as [number, number, number]
    const labels = { operation, method, status: statusClassOf(code), code, cache, outcome }
    calls.push({ ...labels, count, seconds, longest, buckets })
    series.fill(0)
  }
  for (const [code, count] of slot.refusals ?? []) refusals.push({ operation, code, count })
  changeCaller(slot, slot.caller)
  for (const [operator, count] of slot.callers) callers.push({ operation, operator, count })
  slot.refusals = undefined
  if (slot.callers.size > 0) slot.callers.clear()
  slot.isIdle = true
}

function statusClassOf(status: number): StatusClass {
  return statusClasses[Math.min(4, Math.max(0, Math.floor(status / 100) - 1))] as StatusClass
}
