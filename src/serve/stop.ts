/**
 * How a process stops (specification 4.15, 17.5, 17.12), from its signal to its end, in the order of this file. What
 * `openProcess` and `openGateway` opened closes in reverse, from the calls to the logs.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setInterval, setTimeout } from '../base/timers.ts'
import type { OpenFeature } from '../feature.ts'
import type { Gateway } from '../gateway.ts'
import type { OpenServer } from '../http/server.ts'
import type { Observe } from '../model/observation.ts'
import { StoreUnavailable } from '../store/faults.ts'
import type { Verifier } from '../verification/verifier.ts'

/** Milliseconds that a stop may take beyond the grace time of calls; a stuck process is then killed. */
export const closingTime = 2_000
/** Shorter for a process that serves: a worker ends before its supervisor does. */
const processClosingTime = closingTime - 500

export interface StoppableProcess {
  readonly observe: Observe
  /** Milliseconds that running calls have when it stops. */
  readonly grace: number
  readonly supervised?: SupervisedProcess | undefined
  /** Called when signals are handled: from then on one stops the process gracefully. */
  readonly onReady: () => void
  /** Called once, when a signal or the supervisor begins the stop; not after an uncaught error. */
  readonly onStop?: () => void
  /** Lets running calls finish within the grace time, and writes the logs. */
  close(): Promise<void>
}

export interface SupervisedProcess {
  /** What messages call the process: `worker`. */
  readonly name: string
  /** Signals to this process that stop it; the supervisor handles all others. */
  readonly signals: readonly NodeJS.Signals[]
  /** Aborted when its supervisor stops it. */
  readonly stop: AbortSignal
  /** Called if it stops by itself, so that the supervisor starts another. */
  readonly onLeave: () => void
}

/** A process that serves stops after a signal, an order of its supervisor, or an uncaught error. */
export async function runUntilStopped(running: StoppableProcess): Promise<void> {
  const { observe, grace, supervised, onReady, onStop, close } = running
  const stopping = new AbortController()
  const stopRequested = once(stopping.signal, 'abort')
  stopOnUncaught(stopping, observe, supervised ? `The ${supervised.name} ends and is restarted.` : 'The gateway stops.')
  stopOnSignal(stopping, supervised?.signals)
  if (supervised) supervised.stop.addEventListener('abort', () => stopping.abort())
  else stopWithNpm(stopping)
  if (supervised?.stop.aborted) stopping.abort()
  onReady()
  await stopRequested
  if (stopping.signal.reason !== uncaught) onStop?.()
  if (supervised && !supervised.stop.aborted) supervised.onLeave()
  limitStop(grace + processClosingTime)
  await close()
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds. The terminal sends Ctrl-C to npm and to this process, and npm forwards it: this counts as one. */
const duplicateSignal = 500

/**
 * The first signal stops gracefully, with exit code 0; the second one ends the process immediately.
 * @param onSecond ends what would outlive the process, before that
 */
export function stopOnSignal(
  stopping: AbortController,
  signals: readonly NodeJS.Signals[] = stopSignals,
  onSecond = () => {},
): void {
  let since = 0
  stopping.signal.addEventListener('abort', () => {
    since = performance.now()
  })
  const onSignal = (signal: NodeJS.Signals) => {
    if (!stopping.signal.aborted) return stopping.abort()
    if (performance.now() - since < duplicateSignal) return
    onSecond()
    process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  for (const signal of signals) process.on(signal, onSignal)
}

/** This module reads it at its start, because npm may end soon after. */
const shell = process.ppid
/** Milliseconds. */
const pollInterval = 250

/**
 * npm runs a script in a shell, and a signal to npm ends only that shell. Never stops a process that npm did not start.
 * On Windows a process keeps its parent's id: there the terminal ends all.
 */
export function stopWithNpm(stopping: AbortController): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    stopping.abort()
  }, pollInterval)
  timer.unref()
}

const uncaught = Symbol('uncaught')

function stopOnUncaught(stopping: AbortController, observe: Observe, consequence: string): void {
  // A promise that a handler did not await, or a timer of the gateway: nothing else is affected.
  process.on('unhandledRejection', (error) => {
    const message = 'A promise rejection or an error in a timer was not caught. The gateway keeps running.'
    observe({ kind: 'event', level: 'exception', name: 'unhandledRejection', message, error })
  })
  // Thrown outside any call: the state is unknown. Running calls finish, then a supervisor restarts the process.
  process.on('uncaughtException', (error) => {
    const isStore = error instanceof StoreUnavailable
    const what = isStore ? error.message : 'An error was not caught, most likely in a handler.'
    const message = `${what} ${consequence}`
    observe({ kind: 'event', level: 'exception', name: isStore ? 'storeFailed' : 'uncaughtException', message, error })
    process.stderr.write(`ig: ${message} The error log has the stack.\n`)
    process.exitCode = 1
    stopping.abort(uncaught)
  })
}

export interface CallServing {
  readonly gateway: Gateway
  readonly server: Pick<OpenServer, 'close'>
  readonly features: readonly Pick<OpenFeature, 'stop'>[]
  /** Removes this process from the list of those that serve. */
  unregister(): Promise<void>
  /** The stop waits for this too: administration may still use the shared parts. */
  readonly administrationClosed?: Promise<void> | undefined
}

/** Stops calls and jobs: no job begins, and no call on a new connection; running ones, and their work after the commit, have the grace time. */
export async function stopCalls(serving: CallServing): Promise<void> {
  const { gateway, server, features, unregister, administrationClosed } = serving
  const { condition, verifiers, settings, shared } = gateway
  const { shutdownGrace } = settings.limits
  const graceEnd = performance.now() + shutdownGrace
  condition.isStopping = true
  for (const verifier of Object.values<Verifier>(verifiers)) verifier.endDelays?.()
  await Promise.all([
    server.close(),
    unregister(),
    administrationClosed,
    ...features.map((feature) => feature.stop?.(shutdownGrace)),
  ])
  await shared.close(graceEnd)
}

let isStopping = false

/** The process has this many milliseconds left. */
export function limitStop(milliseconds: number): void {
  isStopping = true
  setTimeout(killItself, milliseconds).unref()
}

/** Milliseconds for work that is almost done. */
const pooledPatience = 200

/** Open timers, sockets, threads and child processes of a project's modules do not keep a finished process alive. */
export async function endProcess(): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(flush))
  if (isStopping) await untilExitCanEnd()
  process.exit()
}

/** Output reaches a slow reader; if the reader is gone, the write fails. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}

/** `process.exit` waits for the threads that open files and resolve names, however long they take. */
async function untilExitCanEnd(): Promise<void> {
  const end = performance.now() + pooledPatience
  while (process.getActiveResourcesInfo().some((resource) => /^(FSReq|GetAddrInfo|GetNameInfo)/.test(resource))) {
    if (performance.now() > end) killItself()
    await sleep(5)
  }
}

function killItself(): void {
  process.kill(process.pid, 'SIGKILL')
}

interface StoppableWorker {
  readonly isReady: boolean
  stop(): void
  kill(): void
}

/** A supervisor stops its workers, and kills those that are stuck. */
export function stopWorkers(workers: ReadonlySet<StoppableWorker>, grace: number): void {
  for (const worker of workers) worker.stop()
  const blockedAtStart = () => [...workers].filter(({ isReady }) => !isReady) // these have no calls
  setTimeout(() => blockedAtStart().forEach((worker) => void worker.kill()), processClosingTime).unref()
  setTimeout(() => workers.forEach((worker) => void worker.kill()), grace + processClosingTime).unref()
  limitStop(grace + closingTime)
}
