/**
 * Limits the refused calls of a second that the logs write (specification 8.12): a flood costs neither the disk nor the
 * time of other calls, and does not rotate earlier entries away. The rest is counted, by refusal.
 */
import { setTimeout } from '../base/timers.ts'
import type { Event, Observation } from '../model/observation.ts'
import type { RefusalCode } from '../model/refusal.ts'
import { severityOf } from './log-entry.ts'
import { rankOf } from './selection.ts'

export interface RefusedCalls {
  /** False, and counted, beyond the limit. Failures inside the gateway or a handler are never limited. */
  admits(observation: Observation): boolean
  /** Reports the counts. */
  close(): void
}

/** Per process, and twice: requests that anyone can send do not displace calls with accepted credentials. */
export const refusedPerSecond = 100

/** @param report is called once a second if calls were not written */
export function openRefusedCalls(report: (event: Event) => void): RefusedCalls {
  let written = { failed: 0, done: 0, stray: 0 }
  let counted = new Map<RefusalCode, number>()
  let timer: NodeJS.Timeout | undefined

  const endSecond = () => {
    timer = undefined
    written = { failed: 0, done: 0, stray: 0 }
    if (counted.size === 0) return
    const counts = counted
    counted = new Map()
    report(describe(counts))
  }
  return {
    admits(observation) {
      if (observation.kind !== 'answered' || !observation.refusal) return true
      const { code } = observation.refusal
      if (severityOf(code) !== 'warning') return true
      timer ??= setTimeout(endSecond, 1000).unref()
      const rank = rankOf(observation)
      written[rank] += 1
      if (written[rank] <= refusedPerSecond) return true
      counted.set(code, (counted.get(code) ?? 0) + 1)
      return false
    },
    close() {
      clearTimeout(timer)
      endSecond()
    },
  }
}

function describe(counts: ReadonlyMap<RefusalCode, number>): Event {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const codes = [...counts].map(([code, count]) => `${code} ${count}`).join(', ')
  const message = `${total} refused calls of the last second were not logged, because there were more than ${refusedPerSecond}: ${codes}.`
  return { kind: 'event', level: 'warning', name: 'refusalsNotLogged', message }
}
