/**
 * A serving process: runs until it is told to stop, stops in order, and survives what handlers leave behind
 * (specification 4.15).
 */
import type { Observe } from '../model/observation.ts'

export interface Running {
  readonly observe: Observe
  /** Signals that stop it; by default also those of a terminal. */
  readonly signals?: readonly NodeJS.Signals[]
  /** Aborted where somebody else says stop: the supervisor of a worker. */
  readonly told?: AbortSignal
  /** Tells the world: from here on a signal stops in order. */
  readonly onReady: () => void
  /** Told once, when the stop begins. */
  readonly onStop: () => void
  /** Told where the process stops by itself, because of an error that nobody caught. */
  readonly onFault?: () => void
  /** Calls under way finish within the grace time, logs are written. */
  close(): Promise<void>
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds. The terminal sends Ctrl-C to npm and to us, and npm hands it on: that is one wish, not two. */
const sameWish = 500

/** The first signal stops in order, with exit code 0; the second one at once. */
export async function runUntilStopped(running: Running): Promise<void> {
  const { observe, onReady, onStop, close, signals = stopSignals, told } = running
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'signal' | 'fault'>()
  let stoppingSince: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < sameWish) return
      process.exit(signal === 'SIGINT' ? 130 : 143)
    }
    stoppingSince = performance.now()
    onStop()
    stop('signal')
  }
  for (const signal of signals) process.on(signal, onSignal)
  const onTold = () => {
    if (stoppingSince !== undefined) return
    stoppingSince = performance.now()
    onStop()
    stop('signal')
  }
  told?.addEventListener('abort', onTold, { once: true })

  // A promise that a handler forgot: its call is over or has its own end, and nothing else is harmed.
  process.on('unhandledRejection', (error) => {
    const message = 'A promise was rejected and nobody caught it, most likely in a handler. The gateway goes on.'
    observe({ kind: 'event', level: 'exception', name: 'unhandledRejection', message, error })
  })
  // Thrown outside any call: what it left half done is unknown. Calls under way finish, then a supervisor starts anew.
  process.on('uncaughtException', (error) => {
    const message = 'An error was thrown and nobody caught it, most likely in a handler. The gateway stops.'
    observe({ kind: 'event', level: 'exception', name: 'uncaughtException', message, error })
    process.stderr.write(`ig: ${message} The error log has the stack.\n`)
    process.exitCode = 1
    if (stoppingSince === undefined) running.onFault?.()
    stoppingSince ??= performance.now()
    stop('fault')
  })

  onReady()
  if (told?.aborted) onTold()
  await stopped
  await close()
}
