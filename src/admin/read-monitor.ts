/** Reads from the monitor, or says why it cannot be read (specification 21.7, 21.8). */

import { AdminProblem } from '../actions/problem-details.ts'
import type { AdminParts } from './parts.ts'
import { storeAway } from './store-watch.ts'

export type Monitor = Awaited<ReturnType<NonNullable<AdminParts['monitor']>>>

/** @throws AdminProblem `monitorOff`, `monitorAway` */
export async function reading<Found>(
  { monitor, storeWatch }: AdminParts,
  read: (store: Monitor) => Promise<Found>,
): Promise<Found> {
  if (!monitor) throw new AdminProblem('monitorOff', 'Set ig.monitor=on and restart the gateway.')
  try {
    return await storeWatch.ask(async () => read(await monitor()))
  } catch (cause) {
    if (!(await storeWatch.answers())) throw storeAway(cause)
    const detail = `Its database cannot be read: ${(cause as Error).message}`
    throw new AdminProblem('monitorAway', detail, { cause })
  }
}
