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
 * Half of the heap that an idle process leaves free: the collector needs room, and handlers allocate from what they read.
 * Of the memory that it leaves free a fifth: buffers, a grown heap, which keeps its pages, and garbage take the rest.
 */
export function measureBudget(processes: number): number {
  const { heap_size_limit, used_heap_size } = getHeapStatistics()
  const ofHeap = (heap_size_limit - used_heap_size) / 2
  const ofMemory = (shareMemory(processes) - measureOwn()) / 5
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
