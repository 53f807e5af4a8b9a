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

export async function openClock({ readClock }: Pick<Database, 'readClock'>): Promise<DatabaseClock> {
  if (!readClock) return { offset: () => 0, look: async () => {} }
  let offset = 0
  let next = 0
  const look = async () => {
    if (performance.now() < next) return
    const asked = Date.now()
    const database = await readClock()
    const difference = Math.round(database - (asked + Date.now()) / 2)
    offset = Math.abs(difference) < noise ? 0 : difference
    next = performance.now() + lookEvery
  }
  await look()
  return { offset: () => offset, look }
}
