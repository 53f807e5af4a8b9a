/**
 * What all processes have spent of limits, by limit and subject (specification 25.7). Short-lived rows, on SQLite in the
 * file of the cache. Times are of the database's clock, and differences of the processes': their clocks do not matter.
 */
import { sql } from 'kysely'
import type { Limit } from '../../model/limit.ts'
import { executeAlone } from '../../store/execute-alone.ts'
import type { Databases } from '../../store/feature-tables.ts'
import { inTransaction } from '../../store/transaction.ts'

export interface LimitStore {
  /**
   * Adds what a process has spent; each limit and subject once.
   * @returns for each, in the same order, the milliseconds that all processes have spent; negative if nothing is
   */
  exchange(spent: readonly LimitUsage[]): Promise<readonly number[]>
  knows(limit: string, subject: string): Promise<boolean>
  /** Milliseconds that are spent; negative if nothing is. */
  find(limit: string, subject: string): Promise<number>
  /** Those that have spent something, or were refused a call in the last minute; the last refused first. */
  list(max: number): Promise<readonly LimitRow[]>
  /** Gives back everything that is spent. @returns false if nothing was */
  lift(limit: string, subject: string): Promise<boolean>
  /** Removes rows whose calls have been paid back for a minute, some thousands at a time, until the signal aborts. */
  prune(signal?: AbortSignal): Promise<void>
}

export interface LimitUsage {
  readonly limit: string
  readonly subject: string
  /** Milliseconds. */
  readonly spent: number
  /** Milliseconds since the first of it was spent. */
  readonly age: number
  readonly hasRefused: boolean
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
/** Rows that one transaction removes: others have their turn between two. */
const prunedRows = 2_000

export function openLimitRows({ cache: database }: Pick<Databases, 'cache'>): LimitStore {
  const { reader, columnTypes } = database
  const isPostgres = columnTypes.dbType === 'POSTGRESQL'
  const now = sql<number>`${columnTypes.clock}`
  const ahead = sql<number>`ig_limit.start + ig_limit.spent - ${now}`
  const isGone = sql<boolean>`start + spent < ${now} - ${keptFor} and coalesce(refused, 0) < ${now} - ${keptFor}`
  const isSpent = sql<boolean>`ig_limit.start + ig_limit.spent > excluded.start`
  return {
    async exchange(spent) {
      const values = spent.map(({ limit, subject, spent, age, hasRefused }) => ({
        limit_name: limit,
        subject,
        start: sql<number>`${now} - ${age}`,
        spent,
        refused: hasRefused ? now : null,
      }))
      const query = reader
        .insertInto('ig_limit')
        .values(values)
        .onConflict((conflict) =>
          conflict.columns(['limit_name', 'subject']).doUpdateSet({
            // Their sum is when everything will be free again. What was free before the first of these calls is lost.
            start: sql<number>`case when ${isSpent} then ig_limit.start else excluded.start end`,
            spent: sql<number>`case when ${isSpent} then ig_limit.spent + excluded.spent else excluded.spent end`,
            refused: sql<number>`coalesce(excluded.refused, ig_limit.refused)`,
          }),
        )
        .returning(['limit_name', 'subject', ahead.as('ahead')])
        .$if(isPostgres, (query) => query.returning(withoutDisk))
      const { rows } = await executeAlone(database, query.compile(), wait, limit)
      const found = new Map(rows.map(({ limit_name, subject, ahead }) => [`${limit_name} ${subject}`, Number(ahead)]))
      return spent.map(({ limit, subject }) => found.get(`${limit} ${subject}`) ?? 0)
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
    async list(max) {
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
        .limit(max)
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
      const some = reader.selectFrom('ig_limit').select(['limit_name', 'subject']).where(isGone).limit(prunedRows)
      const isOfSome = sql<boolean>`(limit_name, subject) in ${some}`
      let removed = prunedRows
      while (removed === prunedRows) {
        const { numDeletedRows } = await inTransaction(
          database,
          (transaction) => transaction.deleteFrom('ig_limit').where(isOfSome).executeTakeFirst(),
          wait,
          limit,
        )
        removed = signal?.aborted ? 0 : Number(numDeletedRows)
      }
    },
  }
}

/** For the transaction of the statement: it does not wait for the disk. */
const withoutDisk = sql`set_config('synchronous_commit', 'off', true)`.as('commit')

/** Maximum number of rows in a list. */
export const maxLimited = 1_000

/** The subjects that are limited, or were in the last minute. @returns `wait`: milliseconds until the next call fits */
export function describeLimited(rows: readonly LimitRow[], limits: ReadonlyMap<string, Pick<Limit, 'tolerance'>>) {
  return rows.flatMap(({ limit, subject, ahead, refused }) => {
    const wait = ahead - (limits.get(limit)?.tolerance ?? Number.POSITIVE_INFINITY)
    return wait > 0 || (refused !== null && refused < keptFor) ? [{ limit, subject, wait, refused }] : []
  })
}
