/** Figures of this process: memory, processor, garbage collection, event loop delay (specification 20.4). */
import { readdir } from 'node:fs/promises'
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { readResidentMemory } from '../../base/resident-memory.ts'
import { type Report, seriesOf } from './report.ts'

export interface ProcessFigures {
  take(): Pick<Report, 'counters' | 'gauges'>
  close(): void
}

/** Milliseconds between two clock readings. */
const resolution = 20

export function openProcessFigures(): ProcessFigures {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const nothing = { count: 0, seconds: 0 }
  const collected = new Map([...kinds.values()].map((kind) => [kind, nothing])) // a rate begins at zero
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = kinds.get((entry as unknown as { detail: { kind: number } }).detail.kind) ?? 'other'
      const sum = collected.get(kind) ?? nothing
      collected.set(kind, { count: sum.count + 1, seconds: sum.seconds + entry.duration / 1000 })
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  const started = Math.floor((Date.now() - process.uptime() * 1000) / 1000)
  let before = process.cpuUsage()
  const descriptors = openDescriptorCount()
  descriptors.count() // present in the first report

  return {
    take() {
      const now = process.cpuUsage()
      const counters: Record<string, number> = {
        process_cpu_seconds_total: (now.user - before.user + now.system - before.system) / 1e6,
      }
      before = now
      for (const [kind, { count, seconds }] of collected) {
        counters[seriesOf('nodejs_gc_duration_seconds_count', { kind })] = count
        counters[seriesOf('nodejs_gc_duration_seconds_sum', { kind })] = seconds
      }
      collected.clear()
      const { used_heap_size, total_heap_size, external_memory } = getHeapStatistics()
      const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1000)
      const gauges = {
        process_resident_memory_bytes: readResidentMemory(),
        nodejs_heap_size_used_bytes: used_heap_size,
        nodejs_heap_size_total_bytes: total_heap_size,
        nodejs_external_memory_bytes: external_memory,
        process_start_time_seconds: started,
        nodejs_eventloop_lag_p50_seconds: late(delay.percentile(50)),
        nodejs_eventloop_lag_p99_seconds: late(delay.percentile(99)),
        nodejs_eventloop_lag_max_seconds: late(delay.max),
        ...descriptors.count(),
      }
      delay.reset()
      return { counters, gauges }
    },
    close() {
      delay.disable()
      observer.disconnect()
    },
  }
}

const kinds = new Map<number, string>([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

/** Milliseconds: each of ten thousand connections is a directory entry to read. */
const countEvery = 10_000

/** Nothing if the system does not report it. */
function openDescriptorCount() {
  let counted: Record<string, number> = {}
  let last = Number.NEGATIVE_INFINITY
  const count = async () => {
    counted = { process_open_fds: (await readdir('/proc/self/fd')).length }
  }
  return {
    count() {
      if (performance.now() - last > countEvery) {
        last = performance.now()
        count().catch(() => {})
      }
      return counted
    },
  }
}
