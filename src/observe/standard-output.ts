/** Standard output without waiting: a reader that is slow, or gone, costs log lines and never a call (specification 8.5). */
import { pino } from 'pino'
import type { LineOutput } from './line-log.ts'

export interface StandardOutput extends LineOutput {
  /** Lines that came faster than they were read. */
  readonly dropped: number
  /** Writes what is pending. */
  close(): Promise<void>
}

/** More than this on its way to a slow reader, and lines are dropped. In bytes. */
const maxPending = 4 * 1024 ** 2

export function openStandardOutput(): StandardOutput {
  const output = pino.destination({ dest: 1, sync: false, maxLength: maxPending })
  let isGone = false
  output.on('error', () => {
    isGone = true // the log files remain
  })
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
      output.end() // `flush` does not wait for what is on its way
      isGone = true
      await closed
    },
  }
}
