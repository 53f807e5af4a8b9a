/**
 * The heap limit of one of several processes: V8 knows the limit of the container, but not that others share it
 * (specification 7.8, decisions D-303).
 */
import { getHeapStatistics } from 'node:v8'
import { shareMemory } from '../../base/memory-limit.ts'

/** @returns options of Node for a worker; a heap limit set by the operator stays */
export function limitHeap(processes: number): readonly string[] {
  const { execArgv, env } = process
  const isStated = [...execArgv, env.NODE_OPTIONS ?? ''].some((option) => /max[-_]old[-_]space[-_]size/.test(option))
  const bytes = shareMemory(processes) / 2
  if (isStated || bytes >= getHeapStatistics().heap_size_limit) return execArgv
  return [...execArgv, `--max-old-space-size=${Math.floor(bytes / 1024 ** 2)}`]
}
