/**
 * The last minutes in steps of five seconds, by operation, for the overview of administration (specification 20.8).
 * Times are those of the database, so that the steps of all instances align.
 */
import type { Report } from './report.ts'

/** Milliseconds. */
export const stepLength = 5_000
/** The number of steps kept: a quarter of an hour. */
export const stepsKept = 180

export interface Step {
  /** Its begin in epoch milliseconds: a multiple of its length. */
  readonly time: number
  readonly operations: readonly OperationStep[]
}

export interface OperationStep {
  readonly operation: string
  readonly method: string
  readonly calls: number
  readonly failed: number
  readonly hits: number
  readonly misses: number
  /** Index of the bound, count… */
  readonly buckets: readonly number[]
  readonly refusals: Readonly<Record<string, number>>
}

export interface Steps {
  add(report: Pick<Report, 'calls' | 'refusals'>): void
  /** Finished ones, oldest first. */
  finished(): readonly Step[]
}

/** The most called operations of a step; the rest is one entry. This limits memory and the database. */
const maxOperations = 50
export const others = '(others)'

interface Sum {
  operation: string
  method: string
  calls: number
  failed: number
  hits: number
  misses: number
  buckets: Map<number, number>
  refusals: Map<string, number>
}

export function openSteps(now: () => number): Steps {
  const finished: Step[] = []
  let time = begin(now())
  let sums = new Map<string, Sum>()

  const turn = () => {
    const current = begin(now())
    if (current === time) return
    // A step without calls counts, too. If a clock was set, or the machine slept, the missing steps are not invented.
    const gap = (current - time) / stepLength
    for (let at = 0; at < Math.min(gap, stepsKept); at += 1) {
      finished.push({ time: time + at * stepLength, operations: at === 0 ? close(sums) : [] })
    }
    if (gap < 0) finished.length = 0
    finished.splice(0, finished.length - stepsKept)
    time = current
    sums = new Map()
  }
  const sumOf = (operation: string, method: string) => {
    const known = sums.get(operation)
    if (known) return known
    const sum = emptySum(operation, method)
    sums.set(operation, sum)
    return sum
  }
  return {
    add({ calls, refusals }) {
      turn()
      for (const { operation, method, cache, failed, buckets } of calls) {
        if (operation === '(health)') continue // no operation's calls
        const sum = sumOf(operation, method)
        for (let at = 0; at < buckets.length; at += 2) {
          const count = buckets[at + 1] as number
          sum.calls += count
          if (cache === 'hit') sum.hits += count
          if (cache === 'miss') sum.misses += count
          addTo(sum.buckets, buckets[at] as number, count)
        }
        sum.failed += failed
      }
      for (const { operation, code, count } of refusals) addTo(sumOf(operation, '').refusals, code, count)
    },
    finished() {
      turn()
      return finished
    },
  }
}

function begin(time: number): number {
  return Math.floor(time / stepLength) * stepLength
}

function emptySum(operation: string, method: string): Sum {
  return { operation, method, calls: 0, failed: 0, hits: 0, misses: 0, buckets: new Map(), refusals: new Map() }
}

function close(sums: ReadonlyMap<string, Sum>): OperationStep[] {
  const sorted = [...sums.values()].sort((one, other) => other.calls - one.calls)
  const rest = sorted.splice(maxOperations)
  if (rest.length > 0) sorted.push(rest.reduce(join, emptySum(others, '')))
  return sorted.map(({ buckets, refusals, ...sum }) => ({
    ...sum,
    buckets: [...buckets].flat(),
    refusals: Object.fromEntries(refusals),
  }))
}

function join(sum: Sum, { calls, failed, hits, misses, buckets, refusals }: Sum): Sum {
  sum.calls += calls
  sum.failed += failed
  sum.hits += hits
  sum.misses += misses
  for (const [index, count] of buckets) addTo(sum.buckets, index, count)
  for (const [code, count] of refusals) addTo(sum.refusals, code, count)
  return sum
}

export function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}
