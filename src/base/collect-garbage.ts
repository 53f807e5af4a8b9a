/** Runs the garbage collector at better moments than it would choose itself. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Recent objects, while there are few: one or two milliseconds. */
export function collectYoung(): void {
  collect({ type: 'minor', execution: 'sync' })
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

/** Everything, unless calls would wait too long: some 30 milliseconds. */
export function collectSmallHeap(): void {
  if (!isLarge()) collectAll()
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
