/**
 * The instances of a cluster, and their recent counters (specification 20.9). Short-lived rows, on SQLite in the file
 * of the cache, so that a handler's long transaction does not delay heartbeats.
 */
import type { Database } from './database.ts'
import { inTransaction } from './transaction.ts'

export interface InstanceStore {
  /** Records a heartbeat and new steps; removes rows older than `since`. In one transaction. */
  beat(instance: InstanceRow, steps: readonly StepRow[], since: number): Promise<void>
  /** In order of their id. */
  list(): Promise<readonly InstanceRow[]>
  /** Of all instances, from that time on. */
  stepsSince(time: number): Promise<readonly StepRow[]>
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

export interface StepRow {
  readonly instance: string
  readonly time: number
  /** JSON. */
  readonly counts: string
}

/** Milliseconds until the next heartbeat. */
const wait = 2_000
const limit = 4_000

export function openInstances(database: Database): InstanceStore {
  const { reader } = database
  return {
    beat: ({ id, seen, started, facts }, steps, since) =>
      inTransaction(
        database,
        async (transaction) => {
          const row = { seen, started, facts }
          await transaction
            .insertInto('ig_instance')
            .values({ id, ...row })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
            .execute()
          if (steps.length > 0) {
            await transaction
              .insertInto('ig_instance_step')
              .values([...steps])
              .onConflict((conflict) => conflict.columns(['time', 'instance']).doNothing())
              .execute()
          }
          await transaction.deleteFrom('ig_instance_step').where('time', '<', since).execute()
          await transaction.deleteFrom('ig_instance').where('seen', '<', since).execute()
        },
        wait,
        limit,
      ),
    list: () => reader.selectFrom('ig_instance').selectAll().orderBy('id').execute(),
    stepsSince: (time) => reader.selectFrom('ig_instance_step').selectAll().where('time', '>=', time).execute(),
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
