/**
 * What all processes have spent of limits, by limit and subject (specification 25.7). Short-lived rows, on SQLite in the
 * file of the cache. Times are of the database's clock, and differences of the processes': their clocks do not matter.
 */
import { sql } from 'kysely'
import type { Limit } from '../model/limit.ts'
import { SteadyOffset } from './clock.ts'
import type { Database } from './database.ts'
import { executeAlone } from './execute-alone.ts'
import type { Tables } from './tables.ts'
import { inTransaction } from './transaction.ts'

export interface LimitStore {
  /**
   * Adds what a process has spent; each limit and subject once.
   * @returns for each, in the same order, what all processes have spent
   */
  exchange(spent: readonly Spent[]): Promise<readonly SpentByAll[]>
  knows(limit: string, subject: string): Promise<boolean>
  /** Milliseconds that are spent; negative if nothing is. */
  find(limit: string, subject: string): Promise<number>
  /** Those that have spent something, or were refused a call in the last minute; the last refused first. */
  list(most: number): Promise<readonly LimitRow[]>
  /** Gives back everything that is spent. @returns false if nothing was */
  lift(limit: string, subject: string): Promise<boolean>
  /** Removes rows whose calls have been paid back for a minute, some thousands at a time, until the signal aborts. */
  prune(signal?: AbortSignal): Promise<void>
}

export interface Spent {
  readonly limit: string
  readonly subject: string
  /** Milliseconds. */
  readonly spent: number
  /** Milliseconds since the first of it was spent. */
  readonly age: number
  readonly hasRefused: boolean
}

/** In milliseconds. */
export interface SpentByAll {
  /** What is spent now; negative if nothing is. */
  readonly ahead: number
  /** What was ever spent: a number that grows, until its row is removed. */
  readonly total: number
}

export interface LimitRow {
  readonly limit: string
  readonly subject: string
  /** Milliseconds that are spent. */
  readonly ahead: number
  /** Milliseconds since the last refusal; null if no call was refused. */
  readonly refused: number | null
}

/** Milliseconds that one exchange waits for another, and takes at most. */
const wait = 1_000
const limit = 2_000
const keptFor = 60_000
/** Rows that one transaction looks through: others have their turn between two. */
const prunedRows = 2_000

type Key = Pick<Tables['ig_limit'], 'limit_name' | 'subject'>

const firstKey: Key = { limit_name: '', subject: '' }
const isFrom = ({ limit_name, subject }: Key) => sql<boolean>`(limit_name, subject) >= (${limit_name}, ${subject})`
const isBefore = ({ limit_name, subject }: Key) => sql<boolean>`(limit_name, subject) < (${limit_name}, ${subject})`

export function openLimits(database: Database, isPostgres: boolean): LimitStore {
  const { reader } = database
  const offset = new SteadyOffset()
  const now = sql<number>`${database.columnTypes.jobs.clock}`
  const ahead = sql<number>`ig_limit.start + ig_limit.spent - ${now}`
  const isGone = sql<boolean>`start + spent < ${now} - ${keptFor} and coalesce(refused, 0) < ${now} - ${keptFor}`
  /** In the order of the keys: each row is read once. @returns the next key; undefined after the last row */
  const pruneFrom = (first: Key): Promise<Key | undefined> =>
    inTransaction(
      database,
      async (transaction) => {
        const next = await transaction
          .selectFrom('ig_limit')
          .select(['limit_name', 'subject'])
          .where(isFrom(first))
          .orderBy('limit_name')
          .orderBy('subject')
          .offset(prunedRows)
          .limit(1)
          .executeTakeFirst()
        const slice = transaction.deleteFrom('ig_limit').where(isFrom(first)).where(isGone)
        await (next ? slice.where(isBefore(next)) : slice).execute()
        return next
      },
      wait,
      limit,
    )
  return {
    async exchange(spent) {
      const asked = performance.now()
      const { value } = offset // the statement may wait for long
      const values = spent.map(({ limit, subject, spent, age, hasRefused }) => ({
        limit_name: limit,
        subject,
        start: value === undefined ? sql<number>`${now} - ${age}` : asked + value - age,
        spent,
        refused: hasRefused ? now : null,
      }))
      const query = reader
        .insertInto('ig_limit')
        .values(values)
        .onConflict((conflict) =>
          conflict.columns(['limit_name', 'subject']).doUpdateSet({
            // Their sum is when everything will be free again. What was spent before the first of these calls is.
            start: sql<number>`case when ig_limit.start + ig_limit.spent > excluded.start
              then ig_limit.start else excluded.start - ig_limit.spent end`,
            spent: sql<number>`ig_limit.spent + excluded.spent`,
            refused: sql<number>`coalesce(excluded.refused, ig_limit.refused)`,
          }),
        )
        .returning(['limit_name', 'subject', 'start', 'spent', now.as('clock')])
        .$if(isPostgres, (query) => query.returning(withoutDisk))
      const { rows } = await executeAlone(database, query.compile(), wait, limit)
      const answered = performance.now()
      offset.compare(asked, Number(rows[0]?.clock), answered)
      const clock = answered + (offset.value as number)
      const found = new Map(
        rows.map(({ limit_name, subject, start, spent }) => {
          return [`${limit_name} ${subject}`, { ahead: start + spent - clock, total: spent }]
        }),
      )
      return spent.map(({ limit, subject }) => found.get(`${limit} ${subject}`) ?? { ahead: 0, total: 0 })
    },
    async knows(limitName, subject) {
      const row = reader.selectFrom('ig_limit').select('start').where('limit_name', '=', limitName)
      return (await row.where('subject', '=', subject).executeTakeFirst()) !== undefined
    },
    async find(limitName, subject) {
      const row = await reader
        .selectFrom('ig_limit')
        .select(ahead.as('ahead'))
        .where('limit_name', '=', limitName)
        .where('subject', '=', subject)
        .executeTakeFirst()
      return Number(row?.ahead ?? -1)
    },
    async list(most) {
      const rows = await reader
        .selectFrom('ig_limit')
        .select([
          'limit_name as limit',
          'subject',
          ahead.as('ahead'),
          sql<number | null>`${now} - refused`.as('refused'),
        ])
        .where(sql<boolean>`(start + spent > ${now} or refused > ${now} - ${keptFor})`)
        .orderBy(sql`coalesce(refused, 0)`, 'desc')
        .limit(most)
        .execute()
      return rows.map((row) => ({ ...row, refused: row.refused === null ? null : Number(row.refused) }))
    },
    async lift(limitName, subject) {
      const { numDeletedRows } = await inTransaction(
        database,
        (transaction) =>
          transaction
            .deleteFrom('ig_limit')
            .where('limit_name', '=', limitName)
            .where('subject', '=', subject)
            .executeTakeFirst(),
        wait,
        limit,
      )
      return numDeletedRows > 0n
    },
    async prune(signal) {
      let first: Key | undefined = firstKey
      do first = await pruneFrom(first)
      while (first && !signal?.aborted)
    },
  }
}

/** For the transaction of the statement: it does not wait for the disk. */
const withoutDisk = sql`set_config('synchronous_commit', 'off', true)`.as('commit')

/** Of a list. */
export const mostLimited = 1_000

/** Those that are limited now, or were in the last minute. @returns `wait`: milliseconds until the next call fits */
export function describeLimited(rows: readonly LimitRow[], limits: ReadonlyMap<string, Pick<Limit, 'tolerance'>>) {
  return rows.flatMap(({ limit, subject, ahead, refused }) => {
    const wait = ahead - (limits.get(limit)?.tolerance ?? Number.POSITIVE_INFINITY)
    return wait > 0 || (refused !== null && refused < keptFor) ? [{ limit, subject, wait, refused }] : []
  })
}
