/**
 * The offset of the database's clock from this machine's. Machines that share a database may have different clocks:
 * times that several of them read use the database's (specification 17.10).
 */
import type { Database } from './database.ts'

export interface DatabaseClock {
  /** Milliseconds. */
  offset(): number
  /** Compares the clocks again if the last comparison is old. */
  poll(): Promise<void>
}

/** Milliseconds. Clocks drift slowly, but may also be set. */
const pollInterval = 5_000
/** A round trip to the database may take as long; a smaller difference means nothing. */
const noise = 500

/** @param offset the assumed offset until the first comparison; without it, the first comparison is awaited */
export async function openClock({ readClock }: Pick<Database, 'readClock'>, believed?: number): Promise<DatabaseClock> {
  if (!readClock) return { offset: () => 0, poll: async () => {} }
  let offset = believed
  let next = 0
  /** The time at which the monotonic clock was 0. */
  let origin = 0
  const poll = async () => {
    const wasSet = Math.abs(Date.now() - performance.now() - origin) > noise
    if (performance.now() < next && !wasSet) return
    const asked = Date.now()
    const database = await readClock()
    const answered = Date.now()
    // A handler blocked the event loop, or the database was slow: the comparison is too imprecise.
    const isVague = answered - asked > 2 * noise
    if (isVague && offset !== undefined && isBetween(database - answered, offset, database - asked)) return
    const difference = Math.round(database - (asked + answered) / 2)
    if (Math.abs(difference - (offset ?? 0)) >= noise) offset = Math.abs(difference) < noise ? 0 : difference
    offset ??= 0
    origin = answered - performance.now()
    next = performance.now() + pollInterval
  }
  if (believed === undefined) await poll()
  return { offset: () => offset ?? 0, poll }
}

/** A difference below the noise counts as none. */
function isBetween(least: number, value: number, max: number): boolean {
  return least - noise <= value && value <= max + noise
}
