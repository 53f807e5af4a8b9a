/** The collector, asked to run where the moment is better than the one that it would choose itself. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const collect = findCollector()

/** What was made lately, while it is little: one or two milliseconds. */
export function collectYoung(): void {
  collect?.({ type: 'minor', execution: 'sync' })
}

/** Everything, where a start has left much behind: nobody calls yet, and V8 would keep the memory for long. */
export function collectAfterStart(): void {
  if (isLarge()) collectAll()
}

/** Everything, unless that would take longer than calls may wait: some 30 milliseconds. */
export function collectSmallHeap(): void {
  if (!isLarge()) collectAll()
}

const muchBytes = 64 * 1024 ** 2
const isLarge = () => getHeapStatistics().used_heap_size > muchBytes
const collectAll = () => collect?.({ type: 'major', execution: 'sync' })

/** Without a flag of the command line, which a packed `ig` does not control; handlers see no global `gc`. */
function findCollector(): typeof globalThis.gc {
  setFlagsFromString('--expose-gc')
  const found: typeof globalThis.gc = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return found
}
