/** Takes a client from a pool within a time limit, and cancels its statement (specification 5.9). */
import type pg from 'pg'
import { Refusal } from '../../model/refusal.ts'
import type { BeginOptions } from '../database.ts'
import { StoreOutage } from '../faults.ts'
import { waitFor } from '../wait-for.ts'
import type { Breaker } from './breaker.ts'

export interface Place {
  /** The pool of the client. */
  readonly pool: pg.Pool
  readonly breaker: Breaker
}

export async function takeClient({ pool, breaker }: Place, waiting: BeginOptions): Promise<pg.PoolClient> {
  const release = (late: pg.PoolClient) => late.release()
  const connecting = breaker
    .ask(() => pool.connect(), release)
    .catch((cause) => {
      throw cause instanceof StoreOutage
        ? cause
        : new Refusal('overloaded', 'The database accepts no connection', { cause })
    })
  return waitFor(connecting, waiting, 'a connection', release)
}

export interface Canceller {
  /** Not the pool of the client, which may have no free one. */
  readonly canceller: pg.Pool
  readonly breaker: Breaker
}

/** In milliseconds; a server that is silent for longer counts as lost. */
const cancelPatience = 1_000

/** Never throws. @param processId of the server's process */
export async function cancelStatement({ canceller, breaker }: Canceller, processId: number): Promise<void> {
  const cancel = { text: 'select pg_cancel_backend($1)', values: [processId], query_timeout: cancelPatience }
  const cancelled = breaker.ask(() => canceller.query(cancel))
  await waitFor(cancelled, { wait: cancelPatience }, 'the cancellation', () => {}).catch(() => {})
}
