/**
 * Events that wait to be sent to receivers of webhooks, and how the last ones ended (specification 35.5 to 35.8). A row
 * is one event for one receiver; on SQLite in the file of the cache, where no handler's transaction delays it. Times are
 * of the database's clock.
 */
import { sql } from 'kysely'
import type { Databases } from '../../store/feature-tables.ts'
import { inTransaction } from '../../store/transaction.ts'

export interface WebhookStore {
  /** @returns how many of them were not stored, because too many wait */
  add(rows: readonly NewDelivery[]): Promise<number>
  /** What is due for this receiver, the oldest first. */
  due(receiver: string, max: number): Promise<readonly Delivery[]>
  /**
   * Begins an attempt, if no other process has begun it: the next one is due after `delay`, also if this process ends.
   * @returns whether it was begun
   */
  begin(delivery: Pick<Delivery, 'id' | 'receiver' | 'attempts'>, delay: number): Promise<boolean>
  /** The attempt failed, and there will be another. */
  note(delivery: Pick<Delivery, 'id' | 'receiver'>, reason: string): Promise<void>
  end(delivery: Pick<Delivery, 'id' | 'receiver'>, outcome: DeliveryOutcome, reason?: string): Promise<void>
  /** The newest first. */
  list(max: number): Promise<readonly DeliveryRow[]>
  waiting(): Promise<number>
  /** Removes what ended long ago, and what no process has a receiver for any more. */
  prune(): Promise<void>
}

export interface NewDelivery {
  /** The event's id: the same for all receivers and attempts. */
  readonly id: string
  readonly receiver: string
  readonly name: string
  /** JSON, as it is sent. */
  readonly body: string
}

export interface Delivery extends NewDelivery {
  readonly attempts: number
}

export type DeliveryOutcome = 'delivered' | 'givenUp'

export interface DeliveryRow extends Omit<Delivery, 'body'> {
  /** Epoch milliseconds, as all times here. */
  readonly created: number
  /** Time of the next attempt, while the event waits. */
  readonly next: number
  readonly ended: number | null
  readonly outcome: DeliveryOutcome | null
  /** Why the last attempt failed. */
  readonly reason: string | null
}

/** Further events are not stored. */
export const maxWaiting = 10_000
const keptFor = 7 * 24 * 3_600_000
/** Milliseconds for the turn of a transaction, and for all of it. */
const wait = 2_000
const limit = 4_000

export function openWebhookRows({ cache: database }: Pick<Databases, 'cache'>): WebhookStore {
  const { reader } = database
  const { clock } = database.columnTypes
  const countWaiting = async (from: typeof reader) => {
    const { count } = await from
      .selectFrom('ig_webhook')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('ended', 'is', null)
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  const change = (
    { id, receiver }: Pick<Delivery, 'id' | 'receiver'>,
    values: Readonly<Record<string, unknown>>,
    attempts?: number,
  ) =>
    inTransaction(
      database,
      async (transaction) => {
        const row = transaction
          .updateTable('ig_webhook')
          .set(values)
          .where('id', '=', id)
          .where('receiver', '=', receiver)
          .where('ended', 'is', null)
        const found = attempts === undefined ? row : row.where('attempts', '=', attempts)
        return (await found.returning('id').execute()).length > 0
      },
      wait,
      limit,
    )
  return {
    add: (rows) =>
      inTransaction(
        database,
        async (transaction) => {
          const room = Math.max(0, maxWaiting - (await countWaiting(transaction)))
          const stored = rows.slice(0, room)
          if (stored.length > 0)
            await transaction
              .insertInto('ig_webhook')
              .values(stored.map((row) => ({ ...row, created: clock, next: clock, attempts: 0 })))
              .execute()
          return rows.length - stored.length
        },
        wait,
        limit,
      ),
    due: (receiver, max) =>
      reader
        .selectFrom('ig_webhook')
        .select(['id', 'receiver', 'name', 'body', 'attempts'])
        .where('ended', 'is', null)
        .where('receiver', '=', receiver)
        .where('next', '<=', clock)
        .orderBy('next')
        .limit(max)
        .execute(),
    begin: (delivery, delay) =>
      change(delivery, { attempts: delivery.attempts + 1, next: sql`${clock} + ${delay}` }, delivery.attempts),
    async note(delivery, reason) {
      await change(delivery, { reason })
    },
    async end(delivery, outcome, reason) {
      await change(delivery, { ended: clock, outcome, ...(reason !== undefined && { reason }) })
    },
    async list(max) {
      const rows = await reader
        .selectFrom('ig_webhook')
        .select(['id', 'receiver', 'name', 'attempts', 'created', 'next', 'ended', 'outcome', 'reason'])
        .orderBy('created', 'desc')
        .limit(max)
        .execute()
      return rows.map(({ outcome, ...row }) => ({ ...row, outcome: outcome as DeliveryOutcome | null }))
    },
    waiting: () => countWaiting(reader),
    async prune() {
      await inTransaction(
        database,
        (transaction) =>
          transaction
            .deleteFrom('ig_webhook')
            .where(sql<boolean>`coalesce(ended, next) < ${clock} - ${keptFor}`)
            .execute(),
        wait,
        limit,
      )
    },
  }
}
