/**
 * The monitor of a process (specification 21.4, 21.6): opens its rows when there is something to store, delete or read,
 * so that no start waits for them, and again after a failure.
 */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Observe } from '../model/observation.ts'
import { maskings } from '../observe/masking/masking.ts'
import { type Monitor, openMonitor } from '../observe/monitor.ts'
import type { MonitorSettings, Settings } from '../settings.ts'
import { type MonitorStore, openMonitorStore } from '../store/monitor/open-monitor-store.ts'
import { isDamage } from '../store/sqlite/files.ts'
import type { WorkerRole } from './production/worker-messages.ts'

export interface Monitoring extends Monitor {
  /** Undefined if the monitor is off. */
  readonly store: (() => Promise<MonitorStore>) | undefined
}

export interface MonitoringOptions {
  readonly settings: Pick<Settings, 'monitor' | 'database'> & { readonly log: Pick<Settings['log'], 'masking'> }
  /** The sink for the monitor's own errors. */
  readonly observe: Observe
  readonly worker?: Pick<WorkerRole, 'number' | 'count'> | undefined
  /** Milliseconds; tests pass others. */
  readonly every?: number
  readonly retryAfter?: number
  readonly pruneEvery?: number
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** Milliseconds between two removals of expired rows, and between two slices of one. */
const usualPruneEvery = 10_000
const prunePause = 50

const off: Monitoring = {
  store: undefined,
  lost: { rate: 0, database: 0 },
  trouble: undefined,
  observe() {},
  close: async () => {},
}

export function openMonitoring(options: MonitoringOptions): Monitoring {
  const { settings, observe, worker, every, retryAfter, pruneEvery = usualPruneEvery, now = Date.now } = options
  const { monitor: limits, database } = settings
  if (!limits) return off
  const { number = 1, count = 1 } = worker ?? {}
  let opening: Promise<MonitorStore> | undefined
  let isDamaged = false
  const store = () => {
    opening ??= openMonitorStore(database, { observe, isDamaged }).catch((error) => {
      opening = undefined
      throw error
    })
    isDamaged = false
    return opening
  }
  /** The next opening recreates the file. */
  const leaveDamaged = async () => {
    const damaged = opening
    opening = undefined
    isDamaged = true
    await (await damaged)?.close()
  }
  const monitor = openMonitor({
    perSecond: Math.max(1, Math.floor(limits.perSecond / count)),
    bodyBytes: limits.bodyBytes,
    masking: maskings[settings.log.masking],
    instance: worker ? `${hostname()} ${number}` : hostname(),
    ...(every !== undefined && { every }),
    ...(retryAfter !== undefined && { retryAfter }),
    append: async (batch) => {
      try {
        await (await store()).append(batch)
      } catch (error) {
        if (isDamage(error)) await leaveDamaged()
        throw error
      }
    },
    observe,
  })
  const stopPruning = number === 1 ? keepRetention(store, limits, pruneEvery, now) : async () => {}
  return {
    store,
    observe: monitor.observe,
    lost: monitor.lost,
    get trouble() {
      return monitor.trouble
    },
    async close() {
      await Promise.all([monitor.close(), stopPruning()])
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}

/** Runs in one process of an instance. @returns stops it */
function keepRetention(
  store: () => Promise<MonitorStore>,
  limits: MonitorSettings,
  pruneEvery: number,
  now: () => number,
): () => Promise<void> {
  const stopping = new AbortController()
  const pause = (milliseconds: number) =>
    sleep(milliseconds, true, { ref: false, signal: stopping.signal }).catch(() => false)
  const pruning = (async () => {
    while (await pause(pruneEvery)) {
      try {
        const rows = await store()
        while ((await rows.prune(now(), limits)) > 0 && (await pause(prunePause)));
      } catch {
        // The storing process has the same error, and reports it.
      }
    }
  })()
  return async () => {
    stopping.abort()
    await pruning
  }
}
