/** The report of a process, once a second, to the process that adds up (specification 20.2). */
import { setInterval } from '../../base/timers.ts'
import type { Observe } from '../../model/observation.ts'
import { openCallCounter } from './count-calls.ts'
import { openProcessFigures } from './process-figures.ts'
import type { Report } from './report.ts'

export interface Telemetry {
  readonly observe: Observe
  /** Sources of gauges, registered as they open. */
  watch(watched: MetricsSource): void
  /** Reports now what is due within the second, for a scrape. */
  report(): void
  /** Closes after a last report. */
  close(): void
}

export interface MetricsSource {
  /** Current values, by series. */
  readonly gauges?: () => Readonly<Record<string, number>>
  /** Counts of this process since its start, by series. */
  readonly counts?: () => Readonly<Record<string, number>>
  /** Metrics of handlers since the last call of this function. */
  readonly takeHandlers?: () => Report['handlers']
  /** Whether responses of this operation were ever cached. */
  readonly isCached?: (operationId: string) => boolean
}

export interface TelemetryOptions {
  readonly worker: number
  readonly sink: (report: Report) => void
  /** Milliseconds. */
  readonly every?: number
}

export function openTelemetry({ worker, sink, every = 1000 }: TelemetryOptions): Telemetry {
  const watched: MetricsSource[] = []
  const counter = openCallCounter({ isCached: (id) => watched.some(({ isCached }) => isCached?.(id)) })
  const figures = openProcessFigures()
  const counted = new Map<string, number>()
  const countMore = (counts: Readonly<Record<string, number>>) => {
    const more: Record<string, number> = {}
    for (const [series, count] of Object.entries(counts)) {
      more[series] = count - (counted.get(series) ?? 0)
      counted.set(series, count)
    }
    return more
  }
  const report = () => {
    const { counters, gauges } = figures.take()
    const calls = counter.take()
    const handlers = watched.flatMap(({ takeHandlers }) => takeHandlers?.() ?? [])
    sink({
      worker,
      calls: calls.calls,
      refusals: calls.refusals,
      ...(calls.callers && { callers: calls.callers }),
      counters: Object.assign(counters, calls.counters, ...watched.map(({ counts }) => countMore(counts?.() ?? {}))),
      gauges: Object.assign(gauges, ...watched.map((each) => each.gauges?.() ?? {})),
      ...(handlers.length > 0 && { handlers }),
    })
  }
  const timer = setInterval(report, every).unref()
  return {
    observe: counter.observe,
    watch: (more) => void watched.push(more),
    report,
    close() {
      clearInterval(timer)
      report()
      figures.close()
    },
  }
}
