/** Notices that the clock was ahead and is right again, also before this process started (specification 17.10). */
import type { Gateway } from '../gateway.ts'
import { clockTolerance } from '../store/future-times.ts'

type ClockParts = Pick<Gateway, 'observe' | 'now'> & {
  readonly store: Pick<Gateway['store'], 'clockOffset' | 'correctFutureTimes'>
}

/** @param reset discards what is known from the store @returns checks the clock; the first time also stored times */
export function followClock({ store, observe, now }: ClockParts, reset: () => void): () => void {
  /** The time of the database at which the monotonic clock was 0. */
  let origin = Number.POSITIVE_INFINITY
  let isCorrecting = false
  const correct = async (current: number) => {
    const rows = await store.correctFutureTimes(now())
    const message = `The clock was ahead and has been set back. Stored times in the future count as now (${rows} rows), and responses cached meanwhile are deleted.`
    if (rows > 0 || origin !== Number.POSITIVE_INFINITY) {
      reset()
      observe({ kind: 'event', level: 'warning', name: 'clockSetBack', message })
    }
    origin = current
  }
  return () => {
    const current = now() + store.clockOffset - performance.now()
    if (isCorrecting) return
    if (origin - current <= clockTolerance) {
      origin = current
      return
    }
    isCorrecting = true
    // The store may be readable and not writable: then it is tried again
    void correct(current)
      .catch(() => {})
      .finally(() => (isCorrecting = false))
  }
}
