/**
 * What the database's clock is ahead of this machine's. Machines share one database, and their clocks may differ: what
 * several of them read goes by the clock that they have in common (specification 17.10).
 */
import type { Database } from './database.ts'

export interface DatabaseClock {
  /** Milliseconds. */
  offset(): number
  /** Compares the clocks anew, where the last time was long ago. */
  look(): Promise<void>
}

/** Milliseconds. Clocks drift slowly, but are also set. */
const lookEvery = 5_000
/** The way to the database takes as long; a smaller difference means nothing. */
const noise = 500

/** @param offset what is believed before the first look; without it, the first look is waited for */
export async function openClock({ readClock }: Pick<Database, 'readClock'>, believed?: number): Promise<DatabaseClock> {
  if (!readClock) return { offset: () => 0, look: async () => {} }
  let offset = believed
  let next = 0
  /** When the clock that nobody sets was at 0. */
  let origin = 0
  const look = async () => {
    const wasSet = Math.abs(Date.now() - performance.now() - origin) > noise
    if (performance.now() < next && !wasSet) return
    const asked = Date.now()
    const database = await readClock()
    const answered = Date.now()
    // A handler kept the event loop, or the database was slow: nobody knows when it looked at its clock.
    const isVague = answered - asked > 2 * noise
    if (isVague && offset !== undefined && isBetween(database - answered, offset, database - asked)) return
    const difference = Math.round(database - (asked + answered) / 2)
    if (Math.abs(difference - (offset ?? 0)) >= noise) offset = Math.abs(difference) < noise ? 0 : difference
    offset ??= 0
    origin = answered - performance.now()
    next = performance.now() + lookEvery
  }
  if (believed === undefined) await look()
  return { offset: () => offset ?? 0, look }
}

/** What differs by less than noise differs by nothing. */
function isBetween(least: number, value: number, most: number): boolean {
  return least - noise <= value && value <= most + noise
}
