/**
 * The warning of a call to another service while a transaction holds locks (specification 5.53).
 * @param who `The handler of ORDER_POST.v1`
 */
export function describeHeldLocks(who: string): string {
  return (
    `${who} calls another service while its transaction holds locks: others wait for them, on SQLite every other ` +
    'writer. Call before the first use of context.database, or after the commit.'
  )
}
