/**
 * npm runs a script in a shell, and a signal to npm ends only that shell: the serving process must stop, too
 * (specification 17.5).
 */
import { setInterval } from '../base/timers.ts'

/** As early as possible: npm may end while this process starts. */
const shell = process.ppid
/** Milliseconds. */
const pollInterval = 250

/**
 * Never, if npm did not start this process. On Windows a process keeps its parent's id: there the terminal ends all.
 */
export function untilNpmEnds(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (environment.npm_lifecycle_event === undefined) return promise
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    resolve()
  }, pollInterval)
  timer.unref()
  return promise
}
