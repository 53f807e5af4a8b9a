/**
 * The supervisor of `ig start` with several workers (specification 17.1 to 17.5): starts them, replaces a worker that
 * dies or blocks, replaces all of them in turn at SIGHUP, and stops them in order. It serves no calls itself. It treats
 * the process that serves administration like a worker (18.31).
 */

import { once } from 'node:events'
import { readResidentMemory } from '../../base/resident-memory.ts'
import { setInterval, setTimeout } from '../../base/timers.ts'
import type { LogLevel } from '../../model/observation.ts'
import { type Report, type ReportMessage, seriesOf, supervisor } from '../../observe/metrics/report.ts'
import { openTotal } from '../../observe/metrics/total.ts'
import { openLogs } from '../../observe/open-logs.ts'
import { openStandardOutput } from '../../observe/standard-output.ts'
import type { Settings } from '../../settings.ts'
import { closingTime, stopOnSignal, stopWithNpm, stopWorkers } from '../stop.ts'
import type { Ports } from './claim-ports.ts'
import { spawnWorker, type WorkerProcess } from './spawn-worker.ts'
import { administrationNumber, aliveInterval } from './worker-messages.ts'

export interface SuperviseOptions {
  readonly folder: string
  readonly settings: Settings
  readonly count: number
  readonly ports: Ports
  /** Set by `--new` and `--no-new`. */
  readonly isNewDatabase: boolean | undefined
}

/** A worker and its successors. */
interface Slot {
  readonly number: number
  worker: WorkerProcess
  /** Number of failures in a row. */
  failures: number
  /** `performance.now()` when its worker was started. */
  since: number
}

/** Milliseconds. A worker that ran for less than `lived` failed; each further failure doubles the wait, up to `max`. */
const backoff = { lived: 10_000, first: 100, max: 30_000 }
/** Counts files of this instance that a worker replaced. */
const fileSetAside = seriesOf('ig_events_total', { event: 'fileSetAside', level: 'warning' })
/** Milliseconds. A start blocks the event loop for long: it loads modules and the configuration. */
const startPatience = 30_000

/** Ends with a stop, or if the first worker does not become ready. */
export async function supervise({ folder, settings, count, ports, isNewDatabase }: SuperviseOptions): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const output = openStandardOutput()
  opened.defer(output.close)
  const logs = openLogs(settings, output)
  opened.defer(logs.close)
  const log = (level: LogLevel, name: string, message: string) => {
    logs.observe({ kind: 'event', level, name, message })
    const counters = { [seriesOf('ig_events_total', { event: name, level })]: 1 }
    addUp({ worker: administrationNumber, calls: [], refusals: [], counters, gauges: {} }) // published as worker="0"
  }

  process.on('unhandledRejection', (error) => {
    const message = 'An error in a timer of the supervisor was not caught. It keeps running.'
    logs.observe({ kind: 'event', level: 'exception', name: 'unhandledRejection', message, error })
  })

  const slots: Slot[] = []
  const alive = new Set<WorkerProcess>()
  const timers = new Set<NodeJS.Timeout>()
  const stopping = new AbortController()
  let isRolling = false
  /** Another SIGHUP has arrived meanwhile. */
  let isRollWanted = false

  /** For the successor of the process of administration. */
  const total = openTotal()
  const sendToAdministration = (message: ReportMessage) => {
    for (const worker of alive) if (worker.number === administrationNumber) worker.send(message)
  }
  const addUp = (report: Report) => {
    total.add(report)
    sendToAdministration({ kind: 'report', report })
    if (report.counters[fileSetAside]) void roll() // the other workers still have the file that it renamed open
  }
  const forget = (number: number) => {
    total.forget(number)
    sendToAdministration({ kind: 'gone', worker: number })
  }
  const administrationOpened = Promise.withResolvers<unknown>()
  const reportMemory = () => {
    const gauges = { process_resident_memory_bytes: readResidentMemory() }
    addUp({ worker: supervisor, calls: [], refusals: [], counters: {}, gauges })
  }
  const reporting = setInterval(reportMemory, 1000).unref()
  opened.defer(() => clearInterval(reporting))
  const startWorker = (
    number: number,
    { isQuiet = true, replaces = undefined as WorkerProcess | undefined, more = [] as readonly string[] } = {},
  ): WorkerProcess => {
    const where = ['--host', settings.host, '--port', String(ports.port ?? 'off')]
    const admin = ['--admin-port', String(ports.adminPort ?? 'off')]
    const who = ['--number', String(number), '--count', String(count), ...(isQuiet ? ['--quiet'] : [])]
    const tlsPort = ports.tlsPort === undefined ? {} : { IG_TLS_PORT: String(ports.tlsPort) }
    const worker = spawnWorker({
      number,
      args: ['start-worker', folder, ...where, ...admin, ...who, ...more],
      env: { ...process.env, ...tlsPort, ...ports.ofFeatures },
      replaces,
      output,
      onLeaving: restart,
      onReport: addUp,
    })
    alive.add(worker)
    if (number === administrationNumber) worker.send({ kind: 'earlier', reports: total.reports() })
    else administrationOpened.promise.then(() => worker.send({ kind: 'administrationOpened' }))
    worker.ended.then((how) => {
      alive.delete(worker)
      if (![...alive].some((other) => other.number === number)) forget(number)
      if (worker.isStopping) return
      const which = worker.pid === undefined ? '' : ` (process ${worker.pid})`
      log('error', 'workerDied', `${nameOf(number)}${which} ${how.replace(/\.$/, '')}.`)
      restart(worker)
    })
    return worker
  }

  /** Starts a successor of a worker that is gone, immediately if it had run for a while. */
  const restart = (gone: WorkerProcess) => {
    const slot = slots.find(({ worker }) => worker === gone)
    if (!slot || stopping.signal.aborted) return
    const hasLived = gone.isReady && performance.now() - slot.since > backoff.lived
    slot.failures = hasLived ? 0 : slot.failures + 1
    const wait = hasLived ? 0 : Math.min(backoff.max, backoff.first * 2 ** (slot.failures - 1))
    if (wait >= 1000)
      log(
        'error',
        'workerBackoff',
        `${nameOf(slot.number)} failed ${slot.failures} times in a row; restarting it in ${Math.round(wait / 1000)} s.`,
      )
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (stopping.signal.aborted || slot.worker !== gone) return
      assign(slot, startWorker(slot.number))
    }, wait)
    timers.add(timer)
  }
  const assign = (slot: Slot, worker: WorkerProcess) => {
    slot.worker = worker
    slot.since = performance.now()
    if (!alive.has(worker)) restart(worker)
  }

  /** One at a time: the new one serves before the old one stops; if it cannot, the old ones stay. */
  const replaceAll = async () => {
    logs.observe({
      kind: 'event',
      level: 'information',
      name: 'rolling',
      message: 'Restarting the workers one by one.',
    })
    for (const slot of slots) {
      const next = startWorker(slot.number, { replaces: slot.worker })
      const isReady = await next.ready
      if (stopping.signal.aborted) return // it was asked to stop after it had become ready
      if (!isReady) {
        const rest = 'The current workers keep serving; send SIGHUP to retry.'
        return log('error', 'rollingFailed', `${nameOf(slot.number)} could not be replaced. ${rest}`)
      }
      const old = slot.worker
      assign(slot, next)
      old.stop()
    }
  }
  /** Another SIGHUP meanwhile repeats it: workers already replaced may not have the newest files. */
  const roll = async () => {
    isRollWanted = true
    if (isRolling) return
    isRolling = true
    while (isRollWanted && !stopping.signal.aborted) {
      isRollWanted = false
      await replaceAll()
    }
    isRolling = false
  }

  const stopRequested = once(stopping.signal, 'abort')
  stopping.signal.addEventListener('abort', () => {
    for (const timer of timers) clearTimeout(timer)
    stopWorkers(alive, settings.limits.shutdownGrace)
  })
  // If started from a terminal, SIGHUP means that the terminal closed.
  const hasTerminal = process.stdin.isTTY || process.stderr.isTTY
  if (!hasTerminal) process.on('SIGHUP', () => void roll())
  stopOnSignal(stopping, hasTerminal ? undefined : ['SIGTERM', 'SIGINT'], () => {
    for (const worker of alive) worker.kill()
  })
  stopWithNpm(stopping)
  const stopWatching = watch(alive, settings, (worker, limit) => {
    if (stopping.signal.aborted) return // it has the grace time, and is killed then
    const { number, pid } = worker
    const message = `${nameOf(number)} (process ${pid}) has blocked its event loop for more than ${limit} ms; restarting it.`
    if (!worker.isStopping) log('error', 'workerStalled', message)
    worker.kill()
  })
  opened.defer(stopWatching)

  for (const { name, message } of ports.missing) log('error', name, message)
  const isNew = isNewDatabase === undefined ? [] : [isNewDatabase ? '--new' : '--no-new']
  const first = startWorker(1, { isQuiet: false, more: isNew })
  if (!(await first.ready)) {
    const how = await first.ended
    process.exitCode = stopping.signal.aborted ? 0 : 1
    if (!stopping.signal.aborted && first.failure === undefined)
      process.stderr.write(`ig: ${nameOf(1)} ${how}. It never served; see the log.\n`)
    return
  }
  const addSlot = (number: number, worker: WorkerProcess) => {
    const slot = { number, worker, failures: 0, since: 0 }
    slots.push(slot)
    assign(slot, worker)
  }
  addSlot(1, first)
  if (!stopping.signal.aborted && (ports.adminPort !== undefined || ports.hasFeatures)) {
    const worker = startWorker(administrationNumber, { isQuiet: false })
    administrationOpened.resolve(worker.ready)
    addSlot(administrationNumber, worker)
  } else administrationOpened.resolve(undefined)
  for (let number = 2; number <= count && !stopping.signal.aborted; number += 1) addSlot(number, startWorker(number))

  await stopRequested
  await Promise.all([...alive].map(({ ended }) => ended))
}

/** For the log and for people. */
function nameOf(number: number): string {
  return number === administrationNumber ? 'Administration' : `Worker ${number}`
}

/** Reports workers that have sent nothing for too long. @returns stops watching */
function watch(
  workers: ReadonlySet<WorkerProcess>,
  { workers: { stallTimeout }, limits: { shutdownGrace } }: Settings,
  onStalled: (worker: WorkerProcess, limit: number) => void,
): () => void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const wasAsleep = now - last > stallTimeout / 2 // the machine slept, or this process had no time to receive
    last = now
    for (const worker of workers) {
      const patience = worker.isStopping ? shutdownGrace + closingTime : worker.isReady ? 0 : startPatience
      const limit = Math.max(stallTimeout, patience)
      if (wasAsleep) worker.lastMessage = now
      else if (now - worker.lastMessage > limit) {
        worker.lastMessage = Number.POSITIVE_INFINITY // once
        onStalled(worker, limit)
      }
    }
  }, aliveInterval)
  return () => clearInterval(timer)
}
