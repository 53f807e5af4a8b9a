/**
 * Retention by age, number and size (specification 21.6). Slices are small: writers wait a few milliseconds at most.
 */
import type { Database } from '../../store/database.ts'
import { inTransaction } from '../../store/transaction.ts'

export interface Retention {
  readonly days: number
  readonly transactions: number
  readonly bytes: number
}

const slice = 200
const day = 24 * 3_600_000
/** Waiting for its turn, and in total, in milliseconds. */
const wait = 5_000
const limit = 10_000

/** @returns how many transactions were deleted */
export function pruneSlice(database: Database, now: number, { days, transactions, bytes }: Retention): Promise<number> {
  const cutoff = now - days * day
  return inTransaction(
    database,
    async (transaction) => {
      const state = await transaction.selectFrom('ig_monitor_state').select(['sequence', 'written']).executeTakeFirst()
      if (!state) return 0 // restored without the monitor's rows: the next transaction creates it
      const { sequence, written } = state
      const oldest = await transaction
        .selectFrom('ig_monitor')
        .select(['sequence', 'time', 'written'])
        .orderBy('sequence')
        .limit(slice)
        .execute()
      const isOver = (row: (typeof oldest)[number]) =>
        row.time < cutoff || row.sequence <= sequence - transactions || row.written <= written - bytes
      const gone = oldest.filter(isOver).map((row) => row.sequence)
      if (gone.length > 0) await transaction.deleteFrom('ig_monitor').where('sequence', 'in', gone).execute()
      await transaction.deleteFrom('ig_monitor_loss').where('minute', '<', cutoff).execute()
      return gone.length
    },
    wait,
    limit,
  )
}
