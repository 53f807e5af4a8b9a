/**
 * The counts of a process since its last report, and its gauges; the same from every process of an instance, so that
 * one of them can add them up (specification 20.2).
 */

import type { HandlerSeries } from '../../model/handler-metrics.ts'
import type { CallOutcome } from '../../model/refusal.ts'

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
export const cacheResults = ['none', 'hit', 'miss'] as const
export type StatusClass = (typeof statusClasses)[number]
export type CacheResult = (typeof cacheResults)[number]

export interface Report {
  /** Its number; 0: the process of administration, or the only one; −1: the supervisor. */
  readonly worker: number
  readonly calls: readonly CallCount[]
  readonly refusals: readonly RefusalCount[]
  /** Callers of each operation. */
  readonly callers?: readonly CallerCount[]
  /** By series as written: `ig_events_total{event="storeAway"}`. Increases since the last report. */
  readonly counters: Readonly<Record<string, number>>
  /** Current values, by series. */
  readonly gauges: Readonly<Record<string, number>>
  /** Metrics of handlers: increases since the last report. */
  readonly handlers?: readonly HandlerSeries[]
}

export const supervisor = -1

/** What all processes of an instance count, for the one that adds up. */
export type ReportMessage =
  | { readonly kind: 'report'; readonly report: Report }
  /** All counters from before its start. */
  | { readonly kind: 'earlier'; readonly reports: readonly Report[] }
  | { readonly kind: 'gone'; readonly worker: number }

export interface CallCount {
  readonly operation: string
  readonly method: string
  readonly status: StatusClass
  /** The status itself; sums over several have none. */
  readonly code?: number
  readonly cache: CacheResult
  readonly outcome: CallOutcome
  readonly count: number
  /** Of all of them together; of refused calls, whose delay may be deliberate, no duration is counted. */
  readonly seconds: number
  /** Seconds of the longest call; undefined in sums since the start. */
  readonly longest?: number
  /** Calls that took longer than their operation allows. */
  readonly slow: number
  /** Only non-zero ones: index of the bound, count… The index after the last bound counts values above it. */
  readonly buckets: readonly number[]
}

export interface RefusalCount {
  readonly operation: string
  readonly code: string
  readonly count: number
}

export interface CallerCount {
  readonly operation: string
  /** Empty: refused before it was known. */
  readonly operator: string
  readonly count: number
}

/** Callers that are not named one by one. */
export const otherCallers = '(others)'

/** Seconds. All are counted, for exact percentiles; only `publishedBounds` are in the scrape. */
export const bounds: readonly number[] = [
  0.000_05, 0.000_075, 0.000_1, 0.000_15, 0.000_2, 0.000_3, 0.000_5, 0.000_75, 0.001, 0.001_5, 0.002, 0.003, 0.005,
  0.007_5, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 20, 30,
  60,
]
export const publishedBounds: readonly number[] = [
  0.000_2, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30,
]

/** @param sparse index, count… */
export function addBuckets(sums: Float64Array, sparse: readonly number[]): void {
  for (let at = 0; at < sparse.length; at += 2) {
    const index = sparse[at] ?? 0
    sums[index] = (sums[index] ?? 0) + (sparse[at + 1] ?? 0)
  }
}

export function toSparse(sums: Float64Array): number[] {
  return [...sums].flatMap((count, index) => (count > 0 ? [index, count] : []))
}

/** @param value any characters */
export function seriesOf(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${value.replace(/[\\"\n]/g, escapeOne)}"`)
  return `${name}{${pairs.join(',')}}`
}

function escapeOne(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`
}

/** OpenMetrics requires a decimal point in bounds. */
export function writeFloat(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}
