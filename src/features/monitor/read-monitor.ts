/** Reads from the monitor, or says why it cannot be read (specification 21.7, 21.8). */

import type { ActionParts } from '../../actions/action.ts'
import { readMonitorDatabase } from '../../actions/outage.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { type MonitorStore, openMonitorStore } from './monitor-store.ts'
import { isOpenMonitor } from './open.ts'

/** @throws AdminProblem `monitorOff`, `monitorAway` */
export async function readMonitor<Found>(
  { opened, gateway, settings }: ActionParts,
  read: (store: MonitorStore) => Promise<Found>,
): Promise<Found> {
  const monitor = opened.find(isOpenMonitor)
  if (!gateway && settings.monitor.isOn) return readMonitorDatabase(undefined, () => readHere(settings, read))
  if (!monitor) throw new AdminProblem('monitorOff', 'Set ig.monitor=on and restart the gateway.')
  return readMonitorDatabase(gateway?.condition, async () => read(await monitor.monitorStore()))
}

/** For `ig`, which opens no features. */
async function readHere<Found>({ database }: ActionParts['settings'], read: (store: MonitorStore) => Promise<Found>) {
  const store = await openMonitorStore(database)
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}
