/**
 * Counts something that may come in any number, and reports it at most once a minute: the first immediately, those of the
 * minute after it at its end.
 */
import { setTimeout } from './timers.ts'

export interface PerMinute {
  count(key?: string): void
  /** Reports what is left. */
  close(): void
}

const minute = 60_000

/** @param report the counts by key */
export function openPerMinute(report: (counts: ReadonlyMap<string, number>) => void): PerMinute {
  let counts = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    if (counts.size === 0) return
    const counted = counts
    counts = new Map()
    report(counted)
  }
  const endMinute = () => {
    timer = undefined
    if (counts.size === 0) return
    timer = setTimeout(endMinute, minute).unref()
    flush()
  }
  return {
    count(key = '') {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (timer) return
      timer = setTimeout(endMinute, minute).unref()
      flush()
    },
    close() {
      clearTimeout(timer)
      timer = undefined
      flush()
    },
  }
}
