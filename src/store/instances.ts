/**
 * The instances of a cluster (specification 20.9). Short-lived rows, on SQLite in the file
 * of the cache, so that a handler's long transaction does not delay heartbeats.
 */
import type { Database } from './database.ts'
import { inTransaction } from './transaction.ts'

export interface InstanceStore {
  /** Records a heartbeat; removes rows older than `since`. */
  beat(instance: InstanceRow, since: number): Promise<void>
  /** Instances in order of their id. */
  list(): Promise<readonly InstanceRow[]>
  /** It stopped in order; its successor stays. */
  remove(id: string, started: number): Promise<void>
}

export interface InstanceRow {
  readonly id: string
  /** Epoch milliseconds of the database, as all times here. */
  readonly seen: number
  readonly started: number
  /** JSON. */
  readonly facts: string
}

/** Milliseconds until the next heartbeat. */
const wait = 2_000
const limit = 4_000

export function openInstances(database: Database): InstanceStore {
  const { reader } = database
  return {
    beat: ({ id, seen, started, facts }, since) =>
      inTransaction(
        database,
        async (transaction) => {
          const row = { seen, started, facts }
          await transaction
            .insertInto('ig_instance')
            .values({ id, ...row })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
            .execute()
          await transaction.deleteFrom('ig_instance').where('seen', '<', since).execute()
        },
        wait,
        limit,
      ),
    list: () => reader.selectFrom('ig_instance').selectAll().orderBy('id').execute(),
    remove: (id, started) =>
      inTransaction(
        database,
        async (transaction) => {
          const mine = transaction.deleteFrom('ig_instance').where('id', '=', id).where('started', '=', started)
          await mine.execute()
        },
        wait,
        limit,
      ),
  }
}
