/** The warning of a call to another service while a transaction holds locks (specification 5.53). */
import type { Operation } from '../../../model/operation.ts'
import type { HandlerLog } from '../../../model/process-context.ts'

const warned = new WeakSet<Operation>()

/** Once for each operation of a revision. */
export function warnOfHeldLocks(operation: Operation, log: HandlerLog): void {
  if (warned.has(operation)) return
  warned.add(operation)
  log.warning(describeHeldLocks(`The handler of ${operation.id}`))
}

/** @param who `The handler of ORDER_POST.v1` */
export function describeHeldLocks(who: string): string {
  return (
    `${who} calls another service while its transaction holds locks: others wait for them, on SQLite every other ` +
    'writer. Call before the first use of context.database, or after the commit.'
  )
}
