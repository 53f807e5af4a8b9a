/**
 * The sum of the reports of all processes of an instance since its start: counts of ended processes remain
 * (specification 20.2).
 */
import { HandlerCounts } from '../../model/handler-metrics.ts'
import { refusalTable } from '../../model/refusal.ts'
import { addBuckets, bounds, type CallCount, type RefusalCount, type Report, toSparse } from './report.ts'

export interface Total {
  add(report: Report): void
  /** Its process has ended: its gauges are removed. */
  forget(worker: number): void
  /** All of it as reports, for a new process. */
  reports(): readonly Report[]
  readonly calls: Iterable<CallTotal>
  readonly refusals: Iterable<RefusalCount>
  /** Counters by worker and series. */
  readonly counters: ReadonlyMap<number, ReadonlyMap<string, number>>
  readonly gauges: ReadonlyMap<number, Report['gauges']>
  /** Metrics of handlers, summed over processes. */
  readonly handlers: Pick<HandlerCounts, 'list'>
}

export interface CallTotal extends Omit<CallCount, 'buckets' | 'code' | 'longest'> {
  /** One for each bound, not cumulative, and one above them. */
  readonly buckets: Float64Array
}

/** Of all processes since the start: each has at most a thousand, and a replaced one may have brought others. */
const maxHandlerSeries = 10_000

/** The operations without series of their own. */
export const others = '(others)'

/** @param maxOperations with series of their own; at most as many as a setting may allow */
export function openTotal(maxOperations = 100_000): Total {
  const calls = new Map<string, { -readonly [Key in keyof CallTotal]: CallTotal[Key] }>()
  const refusals = new Map<string, { operation: string; code: string; count: number }>()
  for (const code of Object.keys(refusalTable)) // every code from the start: an alert does not see a rise from nothing
    refusals.set(`(unknown) ${code}`, { operation: '(unknown)', code, count: 0 })
  const counters = new Map<number, Map<string, number>>()
  const gauges = new Map<number, Report['gauges']>()
  const operations = new Set<string>()
  const handlers = new HandlerCounts(undefined, maxHandlerSeries)

  const nameOf = (operation: string) => {
    if (operations.has(operation) || operation.startsWith('(')) return operation
    if (operations.size >= maxOperations) return others
    operations.add(operation)
    return operation
  }
  const addCall = ({ operation: name, method, status, cache, outcome, count, seconds, slow, buckets }: CallCount) => {
    const operation = nameOf(name)
    const key = `${operation} ${method} ${status} ${cache} ${outcome}`
    const sum = calls.get(key) ?? emptyCall({ operation, method, status, cache, outcome })
    calls.set(key, sum)
    sum.count += count
    sum.seconds += seconds
    sum.slow += slow
    addBuckets(sum.buckets, buckets)
  }
  const addRefusal = ({ operation: name, code, count }: RefusalCount) => {
    const operation = nameOf(name)
    const key = `${operation} ${code}`
    const sum = refusals.get(key) ?? { operation, code, count: 0 }
    refusals.set(key, sum)
    sum.count += count
  }

  return {
    add(report) {
      for (const call of report.calls) addCall(call)
      for (const refusal of report.refusals) addRefusal(refusal)
      if (report.handlers) handlers.add(report.handlers)
      const sums = counters.get(report.worker) ?? new Map<string, number>()
      counters.set(report.worker, sums)
      for (const [series, count] of Object.entries(report.counters)) sums.set(series, (sums.get(series) ?? 0) + count)
      if (Object.keys(report.gauges).length > 0) gauges.set(report.worker, report.gauges)
    },
    forget: (worker) => void gauges.delete(worker),
    reports() {
      const counted = { worker: 0, calls: [...calls.values()].map(toCount), refusals: [...refusals.values()] }
      const workers = [...new Set([...counters.keys(), ...gauges.keys()])]
      const each = workers.map((worker) => ({
        worker,
        calls: [],
        refusals: [],
        counters: Object.fromEntries(counters.get(worker) ?? []),
        gauges: gauges.get(worker) ?? {},
      }))
      return [{ ...counted, counters: {}, gauges: {}, handlers: handlers.list() }, ...each]
    },
    get calls() {
      return calls.values()
    },
    get refusals() {
      return refusals.values()
    },
    counters,
    gauges,
    handlers,
  }
}

function emptyCall(labels: Omit<CallTotal, 'count' | 'seconds' | 'slow' | 'buckets'>): {
  -readonly [Key in keyof CallTotal]: CallTotal[Key]
} {
  return { ...labels, count: 0, seconds: 0, slow: 0, buckets: new Float64Array(bounds.length + 1) }
}

function toCount({ buckets, ...rest }: CallTotal): CallCount {
  return { ...rest, buckets: toSparse(buckets) }
}
