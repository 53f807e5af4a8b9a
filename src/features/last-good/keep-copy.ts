/**
 * Keeps the last-good copy current: writes it soon after each change of operators, activations and the provider's keys,
 * and periodically, so that its age shows when it was last known to be right (specification 17.15).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Observe } from '../../model/observation.ts'
import { type CopyPlace, type CopySource, writeCopy } from './copy.ts'

export interface CopyKeeper {
  /** Call it when the store was read. @param describe returns undefined if there is nothing to keep yet */
  note(describe: () => CopySource | undefined): void
  /** Resolves when the latest change is written. */
  close(): Promise<void>
}

/** Milliseconds: changes that come together are written together; a single change waits no longer. */
const gather = 250
/** Also without changes. */
const writeEvery = 60_000
const retryDelay = 5_000

export function keepCopy(place: CopyPlace, observe: Observe): CopyKeeper {
  let written: string | undefined
  let dueAt = Number.NEGATIVE_INFINITY
  let isFailing = false
  let writing: Promise<void> | undefined
  const closing = new AbortController()
  const write = async (describe: () => CopySource | undefined) => {
    await sleep(gather, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    try {
      const source = describe()
      if (!source) return
      await writeCopy(place, source)
      written = source.state
      dueAt = performance.now() + writeEvery
      isFailing = false
    } catch (error) {
      dueAt = performance.now() + retryDelay
      const message = `The last-good copy could not be written to ${place.lastGood.file}. During a database outage, ig start uses the previous copy, or cannot start.`
      if (!isFailing) observe({ kind: 'event', level: 'error', name: 'lastGoodFailed', message, error })
      isFailing = true
    } finally {
      writing = undefined
    }
  }
  return {
    note(describe) {
      if (writing || closing.signal.aborted) return
      const isDue = performance.now() >= dueAt
      if (isDue || (!isFailing && describe()?.state !== written)) writing = write(describe)
    },
    async close() {
      closing.abort()
      await writing
    },
  }
}
