/**
 * The feature in a process (specification 21.4, 21.6): every one records its calls, and reads those of all. It opens the
 * rows when there is something to store, delete or read, so that no start waits for them, and again after a failure.
 */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { pollEvery } from '../../base/poll-every.ts'
import type { FeatureContext, OpenFeature } from '../../feature.ts'
import type { Observe } from '../../model/observation.ts'
import { maskings } from '../../observe/masking/masking.ts'
import { seriesOf } from '../../observe/metrics/report.ts'
import type { Settings } from '../../settings.ts'
import { isDamage } from '../../store/sqlite/files.ts'
import { type MonitorStore, openMonitorStore } from './monitor-store.ts'
import type { Retention } from './prune.ts'
import { readRecordedCalls } from './recorded-calls.ts'
import { openRecorder, type Recorder } from './recorder.ts'

export interface OpenMonitor extends OpenFeature {
  readonly observe: Observe
  monitorStore(): Promise<MonitorStore>
  close(): Promise<void>
}

export function isOpenMonitor(opened: object): opened is OpenMonitor {
  return 'monitorStore' in opened
}

export function open({ settings, worker, workers, observe, servesCalls, administers }: FeatureContext): OpenFeature {
  if (!settings.monitor.isOn) return { counts: () => countLost({ rate: 0, database: 0 }) }
  return openMonitor({ settings, worker, workers, observe, isReading: !servesCalls && !administers })
}

export interface MonitorOptions {
  readonly settings: Pick<Settings, 'monitor' | 'database'> & { readonly log: Pick<Settings['log'], 'masking'> }
  /** The sink for the monitor's own errors. */
  readonly observe: Observe
  /** Its number, and the number of those that share the rate. */
  readonly worker?: number | undefined
  readonly workers?: number
  /** Sets aside a damaged file, and removes what has expired; a process that only reads does neither. */
  readonly isReading?: boolean
  /** Milliseconds; tests pass others. */
  readonly every?: number
  readonly retryDelay?: number
  readonly pruneEvery?: number
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** Milliseconds between two removals of expired rows, and between two slices of one. */
const usualPruneEvery = 10_000
const prunePause = 50

export function openMonitor(options: MonitorOptions): OpenMonitor {
  const { settings, observe, worker, workers = 1, isReading = false, every, retryDelay, now = Date.now } = options
  const { monitor: limits, database } = settings
  let opening: Promise<MonitorStore> | undefined
  let isDamaged = false
  const store = () => {
    opening ??= openMonitorStore(database, { ...(!isReading && { observe }), isDamaged }).catch((error) => {
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
  const recorder = openRecorder({
    perSecond: Math.max(1, Math.floor(limits.perSecond / workers)),
    bodyBytes: limits.bodyBytes,
    masking: maskings[settings.log.masking],
    instance: worker === undefined ? hostname() : `${hostname()} ${worker}`,
    ...(every !== undefined && { every }),
    ...(retryDelay !== undefined && { retryDelay }),
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
  const prunes = !isReading && (worker ?? 1) === 1
  const stopPruning = prunes ? keepRetention(store, limits, options.pruneEvery ?? usualPruneEvery, now) : async () => {}
  return {
    observe: recorder.observe,
    counts: () => countLost(recorder.lost),
    activeConditions: () => ({ monitorAway: recorder.trouble }),
    connections: 1,
    monitorStore: store,
    usage: async (from) => (await store()).usage(from),
    recordedCalls: async function* (from) {
      yield* readRecordedCalls(await store(), from)
    },
    async close() {
      await Promise.all([recorder.close(), stopPruning()])
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}

function countLost(lost: Recorder['lost']): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(lost).map(([reason, count]) => [seriesOf('ig_monitor_lost_total', { reason }), count]),
  )
}

/** Runs in one process of an instance. @returns stops it */
function keepRetention(
  store: () => Promise<MonitorStore>,
  limits: Retention,
  pruneEvery: number,
  now: () => number,
): () => Promise<void> {
  return pollEvery({
    every: pruneEvery,
    // The storing process has the same error, and reports it
    async work(stopping) {
      const rows = await store()
      while ((await rows.prune(now(), limits)) > 0 && !stopping.aborted) await sleep(prunePause)
    },
  })
}
