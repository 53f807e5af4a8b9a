/**
 * The monitored transactions as rows (specification 21). On SQLite they have a file and a thread of their own, so that
 * they neither wait for a handler's transaction nor delay one; on PostgreSQL a connection of their own.
 */

import { sql } from 'kysely'
import type { Observe } from '../../model/observation.ts'
import type { Usage } from '../../model/usage.ts'
import type { Database } from '../../store/database.ts'
import { openSeparateDatabase } from '../../store/open-separate-database.ts'
import { appendBatch, type KnownClasses } from './append.ts'
import { type CallerPage, type CallerQuery, countUse, listCallers, type UseOf } from './count-use.ts'
import {
  countTransactions,
  listNews,
  listTransactions,
  type PageRequest,
  readLatest,
  readTransactions,
} from './list.ts'
import { listUsage } from './list-usage.ts'
import type {
  ListedTransaction,
  Loss,
  MonitorBatch,
  MonitorCount,
  MonitoredMessages,
  MonitoredTimeline,
  MonitorFilter,
  MonitorNews,
  MonitorPage,
} from './monitored-transaction.ts'
import { pruneSlice, type Retention } from './prune.ts'
import { listSlowest } from './slowest.ts'

export interface MonitorStore {
  /** All or nothing. */
  append(batch: MonitorBatch): Promise<void>
  list(request: PageRequest): Promise<MonitorPage>
  /** The slowest first, without a next page. */
  slowest(request: PageRequest): Promise<MonitorPage>
  count(filter: MonitorFilter): Promise<MonitorCount>
  news(filter: MonitorFilter, after: number, limit: number): Promise<MonitorNews>
  find(transactionId: string): Promise<ListedTransaction | undefined>
  /** Undefined if the transaction does not exist or has none. */
  timeline(transactionId: string): Promise<MonitoredTimeline | undefined>
  messages(transactionId: string): Promise<MonitoredMessages | undefined>
  /** The callers of an operation. */
  callers(query: CallerQuery): Promise<CallerPage>
  /** The calls since then of some operations or operators. */
  use(by: 'operation' | 'operator', ids: readonly string[], from: number): Promise<readonly UseOf[]>
  /** The callers of each operation since then. */
  usage(from: number): Promise<Usage>
  /** The losses between two times. */
  losses(from: number, to: number): Promise<readonly Omit<Loss, 'minute' | 'instance'>[]>
  /** The approximate number, and the time of the oldest. */
  extent(): Promise<{ readonly transactions: number; readonly oldest: number | undefined }>
  /** Deletes a few expired entries. @returns how many; 0 when done */
  prune(now: number, retention: Retention): Promise<number>
  close(): Promise<void>
}

/**
 * @param database the value of `ig.database`
 * @param options `isDamaged`: a statement found damage in the file; renames it and creates a new one
 * @throws StoreUnavailable
 */
export async function openMonitorStore(
  database: string,
  options: { readonly observe?: Observe; readonly isDamaged?: boolean } = {},
): Promise<MonitorStore> {
  return compose(await openSeparateDatabase(database, 'monitor', options))
}

function compose(database: Database): MonitorStore {
  const { reader } = database
  let classes: KnownClasses = new Map()
  const findNumber = (transactionId: string) =>
    reader
      .selectFrom('ig_monitor')
      .select(['time', 'sequence'])
      .where('transaction_id', '=', transactionId)
      .limit(1)
      .execute()
  const readJson = async (column: 'timeline' | 'messages', transactionId: string) => {
    const row = await reader
      .selectFrom('ig_monitor')
      .select(sql.ref<string | null>(column).as('text'))
      .where('transaction_id', '=', transactionId)
      .limit(1)
      .executeTakeFirst()
    return row?.text ? JSON.parse(row.text) : undefined
  }
  return {
    async append(batch) {
      classes = await appendBatch(database, batch, classes)
    },
    count: (filter) => countTransactions(reader, filter),
    list: (request) => listTransactions(reader, request),
    slowest: (request) => listSlowest(reader, request),
    news: (filter, after, limit) => listNews(reader, filter, after, limit),
    find: async (transactionId) => (await readTransactions(reader, await findNumber(transactionId)))[0],
    timeline: (transactionId) => readJson('timeline', transactionId),
    messages: (transactionId) => readJson('messages', transactionId),
    callers: (query) => listCallers(reader, query),
    use: (by, ids, from) => countUse(reader, by, ids, from),
    usage: (from) => listUsage(reader, from),
    async losses(from, to) {
      const rows = await reader
        .selectFrom('ig_monitor_loss')
        .select(({ fn }) => ['reason', 'is_error', fn.sum<number | string>('transactions').as('transactions')])
        .where('minute', '>', from - 60_000)
        .where('minute', '<', to)
        .groupBy(['reason', 'is_error'])
        .execute()
      return rows.map(({ reason, is_error, transactions }) => ({
        reason: reason as Loss['reason'],
        isError: is_error === 1,
        transactions: Number(transactions), // PostgreSQL returns numeric
      }))
    },
    async extent() {
      const sequence = await readLatest(reader)
      const rows = reader.selectFrom('ig_monitor').limit(1)
      const oldest = await rows.select(['sequence', 'time']).orderBy('sequence').executeTakeFirst()
      return { transactions: oldest ? sequence - oldest.sequence + 1 : 0, oldest: oldest?.time }
    },
    prune: (now, retention) => pruneSlice(database, now, retention),
    close: () => database.close(),
  }
}
