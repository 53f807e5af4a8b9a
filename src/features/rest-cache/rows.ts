/**
 * Rows of the REST cache (specification 6.7, 6.8): they survive a restart and are shared by all processes. An
 * operation's entries are deleted by raising its generation; their rows stay for a while as marks, without bytes.
 */
import { sql } from 'kysely'
import { nextEpoch } from '../../store/epoch.ts'
import type { Databases } from '../../store/feature-tables.ts'
import type { Tables } from '../../store/tables.ts'
import { type DatabaseTransaction, inTransaction } from '../../store/transaction.ts'
import type { CacheRow, CacheRows } from './contract.ts'

/** If the cache cannot store a response soon, it gives up: waiting for its turn, and in total, in milliseconds. */
const wait = 5_000
const limit = 10_000
/** A claim saves a run of a handler; waiting for it must not cost more. */
const claimWait = 500
const claimLimit = 1_000
/** Bytes of a mark: its key and its row. */
const markSize = 100
/** How long an expired row records that its URL was cached before. */
const markKept = 3_600_000

/** @param offset of the database's clock from this machine's; stored expiries use the database's */
export function openCacheRows({ cache: database }: Pick<Databases, 'cache'>, offset: () => number): CacheRows {
  const { reader } = database
  const clock = () => Date.now() + offset()
  const current = reader
    .selectFrom('ig_rest_cache as entry')
    .innerJoin('ig_rest_cache_generation as current', (join) =>
      join
        .onRef('current.operation_id', '=', 'entry.operation_id')
        .onRef('current.generation', '=', 'entry.generation'),
    )
  const findRow = current // compiled once: a hit costs little more than its statement
    .select(['entry.operation_id', 'entry.generation', 'entry.expires', 'entry.status', 'entry.headers', 'entry.body'])
    .where('entry.key', '=', '')
    .compile()
  return {
    async changedSince(epoch) {
      const newer = reader.selectFrom('ig_rest_cache_generation').selectAll().where('changed', '>', epoch)
      const rows = await newer.execute()
      return {
        epoch: Math.max(epoch, ...rows.map((row) => row.changed)),
        generations: new Map(rows.map(({ operation_id, generation }) => [operation_id, generation])),
      }
    },
    async find(key) {
      const { rows } = await reader.executeQuery<Tables['ig_rest_cache']>({ ...findRow, parameters: [key] })
      const row = rows[0]
      if (!row) return undefined
      const { operation_id: operationId, generation, expires, status, headers, body } = row
      return { operationId, generation, expires: expires - offset(), status, headers: JSON.parse(headers), body }
    },
    async put(key, row, now) {
      const ahead = offset()
      const stored = { ...row, expires: row.expires + ahead }
      return inTransaction(database, (transaction) => putRow(transaction, key, stored, now + ahead), wait, limit)
    },
    deleteOperation(operationId) {
      const remove = async (transaction: DatabaseTransaction) => {
        const epoch = await nextEpoch(transaction, 'cacheGenerations')
        const { generation } = await transaction
          .insertInto('ig_rest_cache_generation')
          .values({ operation_id: operationId, generation: 1, changed: epoch })
          .onConflict((conflict) =>
            conflict
              .column('operation_id')
              .doUpdateSet({ generation: sql`ig_rest_cache_generation.generation + 1`, changed: epoch }),
          )
          .returning('generation')
          .executeTakeFirstOrThrow()
        await transaction
          .updateTable('ig_rest_cache')
          .set({ generation, ...markAt(clock()) })
          .where('operation_id', '=', operationId)
          .execute()
        return generation
      }
      return inTransaction(database, remove, wait, limit)
    },
    async claim(key, owner, lease) {
      const now = clock()
      const until = now + lease
      const claim = async (transaction: DatabaseTransaction) => {
        const { rows } = await sql`
          insert into ig_rest_cache_claim (key, owner, until) values (${key}, ${owner}, ${until})
          on conflict (key) do update set owner = excluded.owner, until = excluded.until
          where ig_rest_cache_claim.until <= ${now} or ig_rest_cache_claim.owner = excluded.owner
          returning owner`.execute(transaction)
        return rows.length > 0
      }
      return inTransaction(database, claim, claimWait, claimLimit)
    },
    async release(key, owner) {
      const release = (transaction: DatabaseTransaction) =>
        transaction.deleteFrom('ig_rest_cache_claim').where('key', '=', key).where('owner', '=', owner).execute()
      await inTransaction(database, release, wait, limit)
    },
    async removeMark(key) {
      const remove = (transaction: DatabaseTransaction) =>
        transaction.deleteFrom('ig_rest_cache').where('key', '=', key).where('expires', '<=', clock()).execute()
      await inTransaction(database, remove, wait, limit)
    },
    deleteSome: (operationId, only) =>
      inTransaction(database, (transaction) => deleteSome(transaction, operationId, only, clock()), wait, limit),
    async list({ operationId, now, offset: from, limit: maxEntries }) {
      const ahead = offset()
      let rows = current.where('expires', '>', now + ahead).where('status', '!=', 0)
      if (operationId !== undefined) rows = rows.where('entry.operation_id', '=', operationId)
      const { total, bytes } = await rows
        .select(({ fn }) => [fn.countAll().as('total'), fn.sum('size').as('bytes')])
        .executeTakeFirstOrThrow()
      const entries = await rows
        .select(['entry.operation_id as operationId', 'url', 'operator', 'expires', 'status', 'size'])
        .orderBy('stored', 'desc')
        .offset(from)
        .limit(maxEntries)
        .execute()
      const page = entries.map((entry) => ({ ...entry, expires: entry.expires - ahead }))
      return { entries: page, total: Number(total), bytes: Number(bytes ?? 0) }
    },
    prune: (now, bounds) =>
      inTransaction(database, (transaction) => pruneRows(transaction, now + offset(), bounds), wait, limit),
  }
}

async function putRow(transaction: DatabaseTransaction, key: string, row: CacheRow, now: number): Promise<boolean> {
  const { operationId, generation, expires, status, headers, body, url = null, operator = null } = row
  const current = await transaction
    .selectFrom('ig_rest_cache_generation')
    .select('generation')
    .where('operation_id', '=', operationId)
    .executeTakeFirst()
  if (current && current.generation !== generation) return false
  if (!current) {
    await transaction
      .insertInto('ig_rest_cache_generation')
      .values({ operation_id: operationId, generation, changed: await nextEpoch(transaction, 'cacheGenerations') })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const time = Math.floor(now * 1000)
  const stored = sql<number>`(select case when max(stored) >= ${time} then max(stored) + 1 else ${time} end from ig_rest_cache)`
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
  const placed = await transaction
    .insertInto('ig_rest_cache')
    .values({ key, ...values })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(values)
        // A response made before its operation's entries were deleted does not replace one made after
        .where('ig_rest_cache.generation', '<=', generation)
        // Of several concurrent responses, the first one stored wins
        .where(({ eb, or }) =>
          or([
            eb('ig_rest_cache.generation', '<', generation),
            eb('ig_rest_cache.expires', '<=', now),
            eb('ig_rest_cache.status', '=', 0), // a mark
          ]),
        ),
    )
    .returning('key')
    .execute()
  return placed.length > 0
}

/** All processes drop the operation's entries from memory, and find the remaining ones in the store. */
async function deleteSome(
  transaction: DatabaseTransaction,
  operationId: string,
  only: Parameters<CacheRows['deleteSome']>[1],
  now: number,
) {
  const epoch = await nextEpoch(transaction, 'cacheGenerations')
  const rows = transaction.updateTable('ig_rest_cache').where('operation_id', '=', operationId)
  const chosen = rows
    .set(markAt(now))
    .where(({ eb }) => ('url' in only ? eb('url', '=', only.url) : eb('operator', '=', only.operator)))
    .where('status', '!=', 0)
  const { numUpdatedRows } = await chosen.where('expires', '>', now).executeTakeFirst()
  await chosen.execute() // the expired ones too: by the clock of another process they may still be valid
  const current = await transaction
    .updateTable('ig_rest_cache_generation')
    .set({ generation: sql`generation + 1`, changed: epoch })
    .where('operation_id', '=', operationId)
    .returning('generation')
    .executeTakeFirst()
  const generation = current?.generation ?? 0
  await rows
    .set({ generation })
    .where('generation', '=', generation - 1)
    .execute()
  return { generation, deleted: Number(numUpdatedRows) }
}

/** The mark of a deleted entry. */
function markAt(now: number) {
  return { expires: now, status: 0, headers: '[]', body: Buffer.alloc(0), size: markSize }
}

async function pruneRows(
  transaction: DatabaseTransaction,
  now: number,
  { maxBytes, maxEntries }: Parameters<CacheRows['prune']>[1],
): Promise<void> {
  await transaction
    .deleteFrom('ig_rest_cache')
    .where('expires', '<=', now - markKept)
    .execute()
  await transaction
    .deleteFrom('ig_rest_cache_claim')
    .where('until', '<=', now - markKept)
    .execute()
  await sql`
    delete from ig_rest_cache where key in (
      select key from (
        select key, row_number() over newest_first as place, sum(size) over newest_first as total
        from ig_rest_cache window newest_first as (order by stored desc, key)
      ) as entries
      where place > ${maxEntries} or total > ${maxBytes}
    )`.execute(transaction)
}
