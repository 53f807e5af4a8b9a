/** A mergeable sum of calls: of a step, of a minute, of an hour, or of a chart's point (specification 20.8, 43.1). */
import { addBuckets, bounds, type CallCount, otherCallers, toSparse } from '../../observe/metrics/report.ts'

/** The sum as it is stored. */
export interface CallCounts {
  readonly calls: number
  readonly refused: number
  readonly failed: number
  /** Served calls that took longer than their operation allows. */
  readonly slow: number
  readonly hits: number
  readonly misses: number
  /** Seconds of all calls that were not refused, and of the longest one. */
  readonly seconds: number
  readonly longest: number
  /** Index of the bound, count… */
  readonly buckets: readonly number[]
  readonly refusals: Readonly<Record<string, number>>
  /** Number of calls by HTTP status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Number of calls by operator; the empty one: refused before the operator was known. */
  readonly callers: Readonly<Record<string, number>>
}

export interface Figures {
  readonly calls: number
  readonly perSecond: number
  readonly refused: number
  readonly failed: number
  readonly slow: number
  /** Share of calls that were not refused; null without any. */
  readonly failureRate: number | null
  readonly cacheHits: number
  readonly cacheMisses: number
  /** Share of cacheable calls; null without any. */
  readonly cacheHitRate: number | null
  /** Milliseconds, of calls that were not refused; null without any. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
  readonly mean: number | null
  readonly longest: number | null
  readonly refusals: Readonly<Record<string, number>>
  readonly statuses: Readonly<Record<string, number>>
}

/** Callers that are added up one by one, and those that are stored. */
const callersKept = 200
const callersStored = 20

const added = ['calls', 'refused', 'failed', 'slow', 'hits', 'misses', 'seconds'] as const

export class CallSum {
  method = ''
  calls = 0
  refused = 0
  failed = 0
  slow = 0
  hits = 0
  misses = 0
  seconds = 0
  longest = 0
  readonly buckets = new Float64Array(bounds.length + 1)
  readonly refusals = new Map<string, number>()
  readonly statuses = new Map<string, number>()
  readonly callers = new Map<string, number>()

  addCount({ method, cache, outcome, count, slow, seconds, longest = 0, buckets, code }: CallCount): void {
    this.method ||= method
    this.calls += count
    if (outcome !== 'served') this[outcome] += count
    if (cache === 'hit') this.hits += count
    if (cache === 'miss') this.misses += count
    this.slow += slow
    this.seconds += seconds
    this.longest = Math.max(this.longest, longest)
    addBuckets(this.buckets, buckets)
    if (code !== undefined) addTo(this.statuses, String(code), count)
  }

  addCaller(operator: string, count: number): void {
    addTo(this.callers, operator, count)
    if (this.callers.size > 2 * callersKept) keepLargest(this.callers, callersKept)
  }

  add(counts: CallCounts): void {
    this.#addFigures(counts)
    addBuckets(this.buckets, counts.buckets)
    for (const [code, count] of Object.entries(counts.refusals)) addTo(this.refusals, code, count)
    for (const [status, count] of Object.entries(counts.statuses ?? {})) addTo(this.statuses, status, count)
    for (const [operator, count] of Object.entries(counts.callers ?? {})) this.addCaller(operator, count)
  }

  addSum(other: CallSum): void {
    this.#addFigures(other)
    for (const [index, count] of other.buckets.entries()) this.buckets[index] = (this.buckets[index] ?? 0) + count
    for (const [code, count] of other.refusals) addTo(this.refusals, code, count)
    for (const [status, count] of other.statuses) addTo(this.statuses, status, count)
    for (const [operator, count] of other.callers) this.addCaller(operator, count)
  }

  #addFigures(counts: Pick<CallCounts, (typeof added)[number] | 'longest'>): void {
    for (const figure of added) this[figure] += counts[figure]
    this.longest = Math.max(this.longest, counts.longest)
  }

  counts(): CallCounts {
    const { calls, refused, failed, slow, hits, misses, seconds, longest } = this
    const callers = new Map(this.callers)
    keepLargest(callers, callersStored)
    return {
      calls,
      refused,
      failed,
      slow,
      hits,
      misses,
      seconds: Number(seconds.toPrecision(6)),
      longest: Number(longest.toPrecision(4)),
      buckets: toSparse(this.buckets),
      refusals: Object.fromEntries(this.refusals),
      statuses: Object.fromEntries(this.statuses),
      callers: Object.fromEntries(callers),
    }
  }

  /** @param seconds that it covers */
  figures(seconds: number): Figures {
    const looked = this.hits + this.misses
    const timed = this.calls - this.refused
    const slowest = timed === 0 ? null : round(this.longest * 1000)
    // A bound of the histogram may lie above the longest duration
    const at = (share: number) => slowest && Math.min(slowest, percentile(this.buckets, timed, share) ?? 0)
    return {
      calls: this.calls,
      perSecond: seconds === 0 ? 0 : round(this.calls / seconds),
      refused: this.refused,
      failed: this.failed,
      slow: this.slow,
      failureRate: timed === 0 ? null : round(this.failed / timed),
      cacheHits: this.hits,
      cacheMisses: this.misses,
      cacheHitRate: looked === 0 ? null : round(this.hits / looked),
      p50: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
      mean: timed === 0 ? null : round((this.seconds / timed) * 1000),
      longest: slowest,
      refusals: Object.fromEntries(sortDescending(this.refusals)),
      statuses: Object.fromEntries(this.statuses), // numbers: in their order
    }
  }
}

/** In milliseconds, interpolated between two bounds; values above the last bound count as the last. */
export function percentile(buckets: ArrayLike<number>, count: number, share: number): number | null {
  if (count === 0) return null
  const wanted = share * count
  let below = 0
  for (let index = 0; index < bounds.length; index += 1) {
    const here = buckets[index] ?? 0
    const [low, high] = [bounds[index - 1] ?? 0, bounds[index] ?? 0]
    if (below + here >= wanted && here > 0) return round((low + ((high - low) * (wanted - below)) / here) * 1000)
    below += here
  }
  return (bounds.at(-1) ?? 0) * 1000
}

export function sortDescending<Key>(counts: ReadonlyMap<Key, number>): [Key, number][] {
  return [...counts].sort(([, one], [, other]) => other - one)
}

export function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

/** Adds the rest to one entry: who calls most stays, however many callers there are. */
function keepLargest(callers: Map<string, number>, max: number): void {
  const named = sortDescending(callers).filter(([operator]) => operator !== otherCallers)
  for (const [operator, count] of named.slice(max)) {
    callers.delete(operator)
    addTo(callers, otherCallers, count)
  }
}

/** Four digits: more would be false precision. */
function round(value: number): number {
  return Number(value.toPrecision(4))
}
