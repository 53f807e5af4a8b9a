/** Standard output without waiting: a slow or missing reader costs log lines, never a call (specification 8.5). */
import sonic from 'sonic-boom'
import type { LineOutput } from './line-log.ts'

export interface StandardOutput extends LineOutput {
  /** Lines dropped because the reader was too slow. */
  readonly dropped: number
  /** Writes what is pending. */
  close(): Promise<void>
}

/** Maximum pending bytes for a slow reader; beyond it, lines are dropped. */
const maxPending = 4 * 1024 ** 2

export function openStandardOutput(): StandardOutput {
  const output = new sonic.SonicBoom({ fd: 1, sync: false, maxLength: maxPending })
  let isGone = false
  output.on('error', () => {
    isGone = true // the log files remain
    process.off('exit', flush)
  })
  const flush = () => output.flushSync()
  process.on('exit', flush)
  output.once('close', () => process.off('exit', flush))
  let dropped = 0
  output.on('drop', () => {
    dropped += 1
  })
  return {
    get dropped() {
      return dropped
    },
    write: (text) => isGone || output.write(text),
    async close() {
      if (isGone) return
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      output.once('close', resolve).once('error', () => resolve())
      output.end() // `flush` does not wait for data in transit
      isGone = true
      await closed
    },
  }
}
