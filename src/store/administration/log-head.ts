/**
 * Logs the head of the audit's chain hourly (specification 18.34): an external copy of the log proves the entries up to
 * it.
 */
import { setInterval } from '../../base/timers.ts'
import type { Observe } from '../../model/observation.ts'
import type { Store } from '../store.ts'

const hour = 3_600_000

/** Also immediately. @returns stops it */
export function logAuditHead({ administration }: Pick<Store, 'administration'>, observe: Observe): () => void {
  const report = () =>
    administration.audit.head().then(
      (head) => head && observe(describe(head.sequence, head.hash)),
      () => {}, // other parts report the store outage
    )
  void report()
  const timer = setInterval(report, hour).unref()
  return () => clearInterval(timer)
}

function describe(entries: number, head: string): Parameters<Observe>[0] {
  const message = `The audit has ${entries === 1 ? 'one entry' : `${entries} entries`}; the head of its chain is ${head}.`
  return { kind: 'event', level: 'information', name: 'auditHead', message }
}
