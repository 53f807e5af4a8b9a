/** What the ordeal `failover` counts: pure functions on what its callers saw. */
import type { Tally } from './ordeal.ts'

/** A write that was acknowledged, on a clock of one process. */
export interface Write {
  readonly id: string
  readonly begun: number
  readonly ended: number
}

/** PostgreSQL begins another timeline with each server that becomes the primary. */
export interface TimelineWrite extends Write {
  readonly timeline: string
}

/** Milliseconds without an acknowledged write: the longest time between two, from the fault on. */
export function maxGap(writes: readonly Write[], fault: number): number {
  const after = writes
    .map(({ ended }) => ended)
    .filter((ended) => ended > fault)
    .sort((one, other) => one - other)
  if (after.length === 0) return Number.POSITIVE_INFINITY
  return Math.max(...after.map((ended, at) => ended - (after[at - 1] ?? fault)))
}

/** How many were acknowledged by a server although they began after its successor had acknowledged one. */
export function countTwoWriters(writes: readonly TimelineWrite[]): number {
  const byEnd = [...writes].sort((one, other) => one.ended - other.ended)
  const byBegin = [...writes].sort((one, other) => one.begun - other.begun)
  let newest = ''
  let next = 0
  return byBegin.filter(({ begun, timeline }) => {
    for (; (byEnd[next]?.ended ?? Number.POSITIVE_INFINITY) < begun; next += 1) {
      const seen = byEnd[next]?.timeline ?? ''
      if (seen > newest) newest = seen // of the same length: hexadecimal, with leading zeros
    }
    return timeline < newest
  }).length
}

/** A duration as a name that can be summed over trials and interrupted runs: `killed7s` is one that took up to 7 s. */
export function asBin(name: string, milliseconds: number): Tally {
  return { [`${name}${Math.ceil(milliseconds / 1000)}s`]: 1 }
}

/** @param share 0.95: so many of all bins of this name took at most the seconds that are returned */
export function findQuantile(tally: Tally, name: string, share: number): number {
  const bins = Object.entries(tally)
    .flatMap(([key, count]) => {
      const [, seconds] = new RegExp(`^${name}(\\d+|Infinity)s$`).exec(key) ?? []
      return seconds === undefined ? [] : [{ seconds: Number(seconds), count }]
    })
    .sort((one, other) => one.seconds - other.seconds)
  const all = bins.reduce((sum, { count }) => sum + count, 0)
  let below = 0
  for (const { seconds, count } of bins) {
    below += count
    if (below >= share * all) return seconds
  }
  return 0
}
