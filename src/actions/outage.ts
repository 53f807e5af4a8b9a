/** What an action says during an outage of the database, and while the database of a feature cannot be read (specification 18.16). */
import type { Condition } from '../steps/built-in/health.ts'
import { StoreOutage } from '../store/faults.ts'
import { AdminProblem } from './problem-details.ts'

export type WithOutage = Readonly<Pick<Condition, 'isStoreOutage'>>

/** Whether the database does not answer, by the error of a request or by what the change feed has noticed. */
export function isOutage(error: unknown, condition?: WithOutage): boolean {
  return condition?.isStoreOutage === true || error instanceof StoreOutage
}

export function storeAway(cause?: unknown): AdminProblem {
  const detail =
    'Calls are still answered with the last known data. Your change may not have been made: check it when the database is back.'
  return new AdminProblem('storeAway', detail, { cause })
}

/** Reads from the database of the monitor. @throws AdminProblem `storeAway`, `monitorAway` */
export async function readMonitorDatabase<Found>(
  condition: WithOutage | undefined,
  read: () => Promise<Found>,
): Promise<Found> {
  try {
    return await read()
  } catch (cause) {
    if (isOutage(cause, condition)) throw storeAway(cause)
    const detail = `Its database cannot be read: ${(cause as Error).message}`
    throw new AdminProblem('monitorAway', detail, { cause })
  }
}
