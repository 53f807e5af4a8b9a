/** npm runs a script by a shell, and a signal to npm ends that shell alone: what serves then stops, too (specification 17.5). */

/** As early as can be: it may end while this process starts. */
const shell = process.ppid
/** Milliseconds. */
const lookEvery = 250

/** Never, where npm did not start this process. On Windows a process keeps its parent's id: there the terminal ends all. */
export function untilNpmEnds(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (environment.npm_lifecycle_event === undefined) return promise
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    resolve()
  }, lookEvery)
  timer.unref()
  return promise
}
