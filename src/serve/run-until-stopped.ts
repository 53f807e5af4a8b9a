/**
 * A serving process: runs until it is stopped, stops gracefully, and survives errors that handlers leave behind
 * (specification 4.15, 17.12).
 */

import { limitStop, workerClosingTime } from '../base/end-process.ts'
import type { Observe } from '../model/observation.ts'
import { StoreUnavailable } from '../store/faults.ts'
import { untilNpmEnds } from './until-npm-ends.ts'

export interface StoppableProcess {
  readonly observe: Observe
  /** Milliseconds that running calls have when it stops. */
  readonly grace: number
  /** Signals that stop it; by default also those of a terminal. */
  readonly signals?: readonly NodeJS.Signals[]
  /** Aborted when the supervisor stops this process. */
  readonly stopRequested?: AbortSignal
  /** Reports that it serves: from here on a signal stops gracefully. */
  readonly onReady: () => void
  /** Called once, when a signal or the supervisor starts the stop. */
  readonly onStop?: () => void
  /** Called when an uncaught error starts it. */
  readonly onUncaught?: () => void
  /** The consequence of an uncaught error, for the log. */
  readonly afterUncaught?: string
  /** Running calls finish within the grace time, logs are written. */
  close(): Promise<void>
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds. The terminal sends Ctrl-C to npm and to this process, and npm forwards it: this counts as one. */
export const duplicateSignal = 500

export async function runUntilStopped(running: StoppableProcess): Promise<void> {
  const {
    observe,
    grace,
    signals,
    stopRequested,
    onReady,
    onStop,
    onUncaught,
    afterUncaught = 'The gateway stops.',
    close,
  } = running
  const stopping = new AbortController()
  const causes = [
    untilSignal(signals, stopping.signal),
    untilAborted(stopRequested),
    ...(signals ? [] : [untilNpmEnds()]),
  ]
  const requested = Promise.race(causes).then(() => {
    if (!stopping.signal.aborted) onStop?.()
  })
  const failed = untilUncaught(observe, afterUncaught, () => {
    if (!stopping.signal.aborted) onUncaught?.()
  })
  onReady()
  await Promise.race([requested, failed])
  stopping.abort()
  limitStop(grace + workerClosingTime)
  await close()
}

/**
 * The first signal stops gracefully, with exit code 0; the second one immediately.
 * @param stopping aborted if another event began the stop
 */
export function untilSignal(signals: readonly NodeJS.Signals[] = stopSignals, stopping?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let stoppingSince: number | undefined
  stopping?.addEventListener('abort', () => {
    stoppingSince ??= performance.now()
  })
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < duplicateSignal) return
      process.exit(signal === 'SIGINT' ? 130 : 143)
    }
    stoppingSince = performance.now()
    resolve()
  }
  for (const signal of signals) process.on(signal, onSignal)
  return promise
}

function untilAborted(stopRequested: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (stopRequested?.aborted) resolve()
  stopRequested?.addEventListener('abort', () => resolve(), { once: true })
  return promise
}

function untilUncaught(observe: Observe, afterUncaught: string, onUncaught: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // A promise that a handler did not await, or a timer of the gateway: nothing else is affected.
  process.on('unhandledRejection', (error) => {
    const message = 'A promise rejection or an error in a timer was not caught. The gateway keeps running.'
    observe({ kind: 'event', level: 'exception', name: 'unhandledRejection', message, error })
  })
  // Thrown outside any call: the state is unknown. Running calls finish, then a supervisor restarts the process.
  process.on('uncaughtException', (error) => {
    const isStore = error instanceof StoreUnavailable
    const what = isStore ? error.message : 'An error was not caught, most likely in a handler.'
    const message = `${what} ${afterUncaught}`
    observe({ kind: 'event', level: 'exception', name: isStore ? 'storeFailed' : 'uncaughtException', message, error })
    process.stderr.write(`ig: ${message} The error log has the stack.\n`)
    process.exitCode = 1
    onUncaught()
    resolve()
  })
  return promise
}
