/** Rates, percentiles and shares of the last minutes, overall and by operation, from steps (specification 20.8). */
import { addBuckets, bounds } from './report.ts'
import { addTo, type OperationStep, type Step, stepLength } from './steps.ts'

export interface Figures {
  readonly calls: number
  readonly perSecond: number
  readonly failed: number
  readonly cacheHits: number
  readonly cacheMisses: number
  /** Share of cacheable calls; null without any. */
  readonly cacheHitRate: number | null
  /** Milliseconds; null without calls. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
  readonly refusals: Readonly<Record<string, number>>
}

export interface Point extends Figures {
  readonly time: number
}

export interface OperationFigures extends Figures {
  readonly operation: string
  readonly method: string
}

export interface Overview {
  readonly from: number
  readonly to: number
  readonly points: readonly Point[]
  readonly total: Figures
  /** All of them, the most called first. */
  readonly operations: readonly OperationFigures[]
}

export interface OverviewOptions {
  /** Epoch milliseconds, of the database. */
  readonly now: number
  readonly minutes: number
  /** Points and total of this operation only. */
  readonly operation?: string | undefined
}

/** Milliseconds to wait for a late step of another instance, which would be missing from the sum. */
const patience = 3_000

/** @param instances the steps of each */
export function drawOverview(instances: readonly (readonly Step[])[], options: OverviewOptions): Overview {
  const to = Math.floor((options.now - patience) / stepLength) * stepLength
  const count = (options.minutes * 60_000) / stepLength
  const from = to - count * stepLength
  const points = Array.from({ length: count }, () => new Sum())
  const total = new Sum()
  const operations = new Map<string, { readonly sum: Sum; method: string }>()
  for (const { time, operations: parts } of instances.flat()) {
    const point = points[(time - from) / stepLength]
    if (!point || time < from) continue
    for (const part of parts) {
      const known = operations.get(part.operation) ?? { sum: new Sum(), method: '' }
      operations.set(part.operation, known)
      known.sum.add(part)
      known.method ||= part.method
      if (options.operation !== undefined && options.operation !== part.operation) continue
      point.add(part)
      total.add(part)
    }
  }
  const seconds = (count * stepLength) / 1000
  return {
    from,
    to,
    points: points.map((sum, index) => ({ time: from + index * stepLength, ...sum.figures(stepLength / 1000) })),
    total: total.figures(seconds),
    operations: [...operations]
      .map(([operation, { sum, method }]) => ({ operation, method, ...sum.figures(seconds) }))
      .sort((one, other) => other.calls - one.calls || (one.operation < other.operation ? -1 : 1)),
  }
}

class Sum {
  #calls = 0
  #failed = 0
  #hits = 0
  #misses = 0
  readonly #buckets = new Float64Array(bounds.length + 1)
  readonly #refusals = new Map<string, number>()

  add({ calls, failed, hits, misses, buckets, refusals }: OperationStep): void {
    this.#calls += calls
    this.#failed += failed
    this.#hits += hits
    this.#misses += misses
    addBuckets(this.#buckets, buckets)
    for (const [code, count] of Object.entries(refusals)) addTo(this.#refusals, code, count)
  }

  figures(seconds: number): Figures {
    const looked = this.#hits + this.#misses
    return {
      calls: this.#calls,
      perSecond: round(this.#calls / seconds),
      failed: this.#failed,
      cacheHits: this.#hits,
      cacheMisses: this.#misses,
      cacheHitRate: looked === 0 ? null : round(this.#hits / looked),
      p50: percentile(this.#buckets, this.#calls, 0.5),
      p95: percentile(this.#buckets, this.#calls, 0.95),
      p99: percentile(this.#buckets, this.#calls, 0.99),
      refusals: Object.fromEntries([...this.#refusals].sort(([, one], [, other]) => other - one)),
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

/** Four digits: more would be false precision. */
function round(value: number): number {
  return Number(value.toPrecision(4))
}
