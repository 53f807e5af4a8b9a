/**
 * Rows of the REST cache (specification 6.7, 6.8): they survive a restart and are shared by all processes. An
 * operation's entries are deleted by raising its generation; the rows follow.
 */
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { nextEpoch } from './operators.ts'
import type { CacheRow, RestCacheStore } from './store.ts'
import type { Tables } from './tables.ts'
import { inTransaction } from './transaction.ts'

export interface RestCacheRows extends RestCacheStore {
  changedSince(epoch: number): Promise<{ readonly epoch: number; readonly generations: ReadonlyMap<string, number> }>
}

/** A cache that cannot store soon had better not: for its turn, and for all of it, in milliseconds. */
const wait = 5_000
const limit = 10_000

export function openRestCacheRows(database: Database): RestCacheRows {
  const { reader } = database
  const known = new Set<string>()
  const changedSince = async (epoch: number) => {
    const changed = reader.selectFrom('ig_rest_cache_generation').selectAll().where('changed', '>', epoch)
    const rows = await changed.execute()
    return {
      epoch: Math.max(epoch, ...rows.map((row) => row.changed)),
      generations: new Map(rows.map(({ operation_id, generation }) => [operation_id, generation])),
    }
  }
  const findRow = reader // compiled once: a hit costs little more than its statement
    .selectFrom('ig_rest_cache as entry')
    .innerJoin('ig_rest_cache_generation as current', (join) =>
      join
        .onRef('current.operation_id', '=', 'entry.operation_id')
        .onRef('current.generation', '=', 'entry.generation'),
    )
    .select(['entry.operation_id', 'entry.generation', 'entry.expires', 'entry.status', 'entry.headers', 'entry.body'])
    .where('entry.key', '=', '')
    .compile()
  return {
    changedSince,
    generations: async () => (await changedSince(-1)).generations,
    async find(key) {
      const { rows } = await reader.executeQuery<Tables['ig_rest_cache']>({ ...findRow, parameters: [key] })
      const row = rows[0]
      if (!row) return undefined
      const { operation_id: operationId, generation, expires, status, headers, body } = row
      return { operationId, generation, expires, status, headers: JSON.parse(headers), body }
    },
    async put(key, row) {
      const put = (transaction: Transaction) => putRow(transaction, key, row, known.has(row.operationId))
      await inTransaction(database, put, wait, limit)
      known.add(row.operationId)
    },
    deleteOperation(operationId) {
      const remove = async (transaction: Transaction) => {
        const changed = await nextEpoch(transaction, 'cacheGenerations')
        const { generation } = await transaction
          .insertInto('ig_rest_cache_generation')
          .values({ operation_id: operationId, generation: 1, changed })
          .onConflict((conflict) =>
            conflict
              .column('operation_id')
              .doUpdateSet({ generation: sql`ig_rest_cache_generation.generation + 1`, changed }),
          )
          .returning('generation')
          .executeTakeFirstOrThrow()
        await transaction.deleteFrom('ig_rest_cache').where('operation_id', '=', operationId).execute()
        return generation
      }
      return inTransaction(database, remove, wait, limit)
    },
    deleteUrl: (operationId, url) =>
      inTransaction(database, (transaction) => deleteUrl(transaction, operationId, url), wait, limit),
    async list({ operationId, now, offset, limit }) {
      let rows = reader
        .selectFrom('ig_rest_cache as entry')
        .innerJoin('ig_rest_cache_generation as current', (join) =>
          join
            .onRef('current.operation_id', '=', 'entry.operation_id')
            .onRef('current.generation', '=', 'entry.generation'),
        )
        .where('expires', '>', now)
      if (operationId !== undefined) rows = rows.where('entry.operation_id', '=', operationId)
      const { total } = await rows.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
      const entries = await rows
        .select(['entry.operation_id as operationId', 'url', 'operator', 'expires', 'status', 'size'])
        .orderBy('stored', 'desc')
        .offset(offset)
        .limit(limit)
        .execute()
      return { total: Number(total), entries }
    },
    prune: (now, bounds) => inTransaction(database, (transaction) => pruneRows(transaction, now, bounds), wait, limit),
  }
}

type Transaction = Database['reader']

async function putRow(transaction: Transaction, key: string, row: CacheRow, isKnown: boolean): Promise<void> {
  const { operationId, generation, expires, status, headers, body, url = null, operator = null } = row
  if (!isKnown) {
    await transaction
      .insertInto('ig_rest_cache_generation')
      .values({ operation_id: operationId, generation, changed: await nextEpoch(transaction, 'cacheGenerations') })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const stored = sql<number>`(select coalesce(max(stored), 0) + 1 from ig_rest_cache)`
  const text = JSON.stringify(headers)
  const size = key.length + text.length + body.length
  const values = {
    operation_id: operationId,
    generation,
    expires,
    status,
    headers: text,
    stored,
    size,
    body,
    url,
    operator,
  }
  await transaction
    .insertInto('ig_rest_cache')
    .values({ key, ...values })
    .onConflict((conflict) =>
      // A response made before its operation's entries were deleted does not replace one made after
      conflict.column('key').doUpdateSet(values).where('ig_rest_cache.generation', '<=', generation),
    )
    .execute()
}

/** To every process the operation's entries are gone, and those that stay in the store are found there again. */
async function deleteUrl(transaction: Transaction, operationId: string, url: string) {
  const changed = await nextEpoch(transaction, 'cacheGenerations')
  const deletion = transaction
    .deleteFrom('ig_rest_cache')
    .where('operation_id', '=', operationId)
    .where('url', '=', url)
  const { numDeletedRows } = await deletion.executeTakeFirst()
  const current = await transaction
    .updateTable('ig_rest_cache_generation')
    .set({ generation: sql`generation + 1`, changed })
    .where('operation_id', '=', operationId)
    .returning('generation')
    .executeTakeFirst()
  const generation = current?.generation ?? 0
  await transaction
    .updateTable('ig_rest_cache')
    .set({ generation })
    .where('operation_id', '=', operationId)
    .where('generation', '=', generation - 1)
    .execute()
  return { generation, deleted: Number(numDeletedRows) }
}

async function pruneRows(
  transaction: Transaction,
  now: number,
  { maxBytes, maxEntries }: Parameters<RestCacheStore['prune']>[1],
): Promise<void> {
  await transaction.deleteFrom('ig_rest_cache').where('expires', '<=', now).execute()
  await sql`
    delete from ig_rest_cache where key in (
      select key from (
        select key, row_number() over newest_first as place, sum(size) over newest_first as total
        from ig_rest_cache window newest_first as (order by stored desc, key)
      ) as entries
      where place > ${maxEntries} or total > ${maxBytes}
    )`.execute(transaction)
}
