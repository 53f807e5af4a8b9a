/** The feature in a process: every one keeps its calls, and reads those of all. */
import type { Core, OpenFeature } from '../../feature.ts'
import { seriesOf } from '../../observe/metrics/report.ts'
import type { MonitorStore } from './open-monitor-store.ts'
import { openMonitoring } from './open-monitoring.ts'

export interface OpenMonitor extends OpenFeature {
  monitored(): Promise<MonitorStore>
}

export function isOpenMonitor(opened: object): opened is OpenMonitor {
  return 'monitored' in opened
}

export function open(core: Core): OpenFeature {
  const { settings, worker, workers, observe, servesCalls, administers } = core
  if (!settings.monitor.isOn) return { counts: () => countLost({ rate: 0, database: 0 }) }
  const isReading = !servesCalls && !administers
  return wrap(openMonitoring({ settings, worker, workers, observe, isReading }))
}

export function wrap(monitor: ReturnType<typeof openMonitoring>): OpenMonitor {
  return {
    observe: monitor.observe,
    counts: () => countLost(monitor.lost),
    troubles: () => ({ monitorAway: monitor.trouble }),
    connections: 1,
    monitored: monitor.store,
    usage: async (from) => (await monitor.store()).usage(from),
    close: monitor.close,
  }
}

function countLost(lost: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(lost).map(([reason, count]) => [seriesOf('ig_monitor_lost_total', { reason }), count]),
  )
}
