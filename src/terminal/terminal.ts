/**
 * Input and output of a verb: the process's own streams, environment and exit code, or those that a test passes to
 * `main`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export type Terminal = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'exitCode'>

const terminals = new AsyncLocalStorage<Terminal>()

/** The terminal of the running verb. */
export function terminal(): Terminal {
  return terminals.getStore() ?? process
}

export function runOn<T>(given: Terminal, run: () => T): T {
  return terminals.run(given, run)
}
