/** The warning of a call to another service while a transaction has written (specification 5.53). */

/** @param who `The handler of ORDER_POST.v1` */
export function describeHeldLocks(who: string): string {
  return (
    `${who} calls another service while its transaction has written: others wait for its locks, on SQLite every other ` +
    'writer. Call before the first write, or after the commit.'
  )
}
