/** The default memory budget of a process (specification 7.8, decisions D-300). */
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { readResidentMemory } from './resident-memory.ts'

/** Bytes of the container, or of the machine without a limit. */
export function findMemoryLimit(): number {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < totalmem() ? limit : totalmem()
}

/** Several processes leave one share for their supervisor, and for a worker next to the one that it replaces. */
export function shareMemory(processes: number): number {
  return findMemoryLimit() / (processes === 1 ? 1 : processes + 1)
}

/** Even in the smallest container one ordinary call has room. */
const leastBudget = 8 * 1024 ** 2

/**
 * Half of the heap that an idle process leaves free: the collector needs room, and handlers allocate from what they
 * read. A third of the memory that it leaves free, for buffers, a grown heap and uncollected garbage; if the heap may
 * take most of it, half of the rest, because the heap keeps its pages, and a sixth at least.
 */
export function measureBudget(processes: number): number {
  const { heap_size_limit, total_heap_size, used_heap_size } = getHeapStatistics()
  const ofHeap = (heap_size_limit - used_heap_size) / 2
  const free = shareMemory(processes) - measureOwn()
  const besideHeap = free - (heap_size_limit - total_heap_size)
  const ofMemory = Math.min(free / 3, Math.max(besideHeap / 2, free / 6))
  return Math.max(leastBudget, Math.floor(Math.min(ofHeap, ofMemory)))
}

/**
 * Without the program's own pages, which the processes of a container share: 65 MB. Only Linux reports them separately.
 */
function measureOwn(): number {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    if (kilobytes !== undefined) return Number(kilobytes) * 1024
  } catch {
    // not Linux
  }
  return readResidentMemory()
}
