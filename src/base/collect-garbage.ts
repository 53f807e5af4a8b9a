/** Runs the garbage collector at better moments than it would choose itself. */
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Recent objects, while there are few: one or two milliseconds. */
export function collectYoung(): void {
  collect({ type: 'minor', execution: 'sync' })
}

/** For a process that serves, once it does: V8 compiles again whatever is loaded after a change of its flags (D-1154). */
export function setServingFlags(): void {
  // V8 takes some sites' objects for long-lived after one bad moment, and whatever they point to lives on with them: D-215
  setFlagsFromString('--no-allocation-site-pretenuring')
  // Optimizing the parser of HTTP takes 10 MB less, and its calls no measurable time more: D-1165
  setFlagsFromString('--no-wasm-loop-unrolling')
}

let isCollected = false

/**
 * Everything, after a start has left much behind: there are no calls yet, and V8 would keep the memory for long. Once in
 * a process: the next gateways of a project's tests leave little.
 */
export function collectAfterStart(): void {
  if (isCollected || !isLarge()) return
  isCollected = true
  collectAll()
}

let isCollectedInSteps = false

/**
 * Everything, in small steps between calls: V8 starts immediately, not only near its limit. In one step calls would wait
 * some 30 milliseconds. Once in a process, and not where the heap is large.
 * @returns gives up
 */
export function collectInSteps(): () => void {
  if (isCollectedInSteps || isLarge()) return () => {}
  setFlagsFromString('--incremental-marking-hard-trigger=1') // percent of the way to the limit
  const collections = new PerformanceObserver((list) => {
    isCollectedInSteps = list.getEntries().some(isOfAll)
    if (isCollectedInSteps) end()
  })
  const end = () => {
    collections.disconnect()
    setFlagsFromString('--incremental-marking-hard-trigger=0')
  }
  collections.observe({ entryTypes: ['gc'] })
  return end
}

function isOfAll(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } }
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

const muchBytes = 64 * 1024 ** 2
const isLarge = () => getHeapStatistics().used_heap_size > muchBytes
const collectAll = () => collect({ type: 'major', execution: 'sync' })

let collector: typeof globalThis.gc

function collect(options: NodeJS.GCOptions): void {
  collector ??= findCollector()
  collector?.(options)
}

/** Without a flag of the command line, which a packed `ig` does not control; handlers see no global `gc`. */
function findCollector(): typeof globalThis.gc {
  setFlagsFromString('--expose-gc')
  const found: typeof globalThis.gc = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return found
}
