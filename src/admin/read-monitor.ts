/** Reads from the monitor, or says why it cannot be read (specification 21.7, 21.8). */

import { AdminProblem } from '../actions/problem-details.ts'
import { isOutage, storeAway } from './outage.ts'
import type { AdminParts } from './parts.ts'

export type Monitor = Awaited<ReturnType<NonNullable<AdminParts['monitor']>>>

/** @throws AdminProblem `monitorOff`, `monitorAway` */
export async function reading<Found>(
  { monitor, gateway: { condition } }: AdminParts,
  read: (store: Monitor) => Promise<Found>,
): Promise<Found> {
  if (!monitor) throw new AdminProblem('monitorOff', 'Set ig.monitor=on and restart the gateway.')
  try {
    return await read(await monitor())
  } catch (cause) {
    if (isOutage(cause, condition)) throw storeAway(cause)
    const detail = `Its database cannot be read: ${(cause as Error).message}`
    throw new AdminProblem('monitorAway', detail, { cause })
  }
}
