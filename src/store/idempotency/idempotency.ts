/**
 * Kept answers as rows (specification 26.4, 26.8): written in the handler's own transaction, where the key is unique, so
 * that of two calls only one is stored. A claim keeps the handler from running twice at a time.
 */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { executeAlone } from '../execute-alone.ts'
import type { Tables } from '../tables.ts'
import { inTransaction } from '../transaction.ts'
import type { ClaimedRow, IdempotencyStore, KeptRow } from './contract.ts'

/** For its turn, and in total, in milliseconds. */
const wait = 5_000
const limit = 10_000
/** Rows of one step: each takes a few milliseconds, and others have their turn between them. */
const stepRows = 500
const stepSizes = 2_000

/** @param claims on SQLite the file of the REST cache */
export function openIdempotencyRows(database: Database, claims: Database): IdempotencyStore {
  const { reader } = database
  const statements = database.columnTypes.idempotency
  const findRow = reader // compiled once
    .selectFrom('ig_idempotency')
    .select(['request', 'status', 'answer'])
    .where('key', '=', '')
    .where('expires', '>', 0)
    .compile()
  const find = async (key: string, now: number): Promise<KeptRow | undefined> => {
    const { rows } = await reader.executeQuery<Tables['ig_idempotency']>({ ...findRow, parameters: [key, now] })
    return rows[0]
  }
  const beginRow = statements.claim?.compile(reader)
  const keepRow = statements.keep.compile(reader)
  const claimRow = insertClaimRow.compile(reader)
  const insertClaim = async (key: string, owner: string, now: number, lease: number): Promise<boolean> => {
    const query = { ...claimRow, parameters: [key, owner, now + lease, now] }
    const result = await executeAlone(claims, query, wait, limit)
    return result.rows.length > 0
  }
  const release = async (owners: readonly string[]) => {
    const remove = (transaction: Database['reader']) =>
      transaction.deleteFrom('ig_idempotency_claim').where('owner', 'in', owners).execute()
    await inTransaction(claims, remove, wait, limit)
  }
  return {
    find,
    async claim(key, owner, lease, now) {
      if (beginRow) {
        const { rows } = await reader.executeQuery<ClaimedRow>({ ...beginRow, parameters: [key, owner, lease, now] })
        const { request = null, status, answer, claimed } = rows[0] ?? {}
        if (request === null) return claimed ? 'claimed' : 'taken'
        if (claimed) await release([owner])
        return { request, status: status as number, answer: answer as Buffer }
      }
      const isOurs = await insertClaim(key, owner, Date.now(), lease)
      const kept = await find(key, now) // after the claim: what was kept before it is visible
      if (!kept) return isOurs ? 'claimed' : 'taken'
      if (isOurs) await release([owner])
      return kept
    },
    async renew(owners, lease) {
      const until = sql<number>`${database.columnTypes.jobs.clock} + ${lease}`
      const extend = (transaction: Database['reader']) =>
        transaction.updateTable('ig_idempotency_claim').set({ until }).where('owner', 'in', owners).execute()
      await inTransaction(claims, extend, wait, limit)
    },
    release,
    keep: (row) => ({ ...keepRow, parameters: statements.valuesOf(row) }),
    keepReleases: statements.keepReleases,
    async deleteExpired(before) {
      const keys = reader
        .selectFrom('ig_idempotency')
        .select('key')
        .where('expires', '<=', before)
        .orderBy('expires')
        .limit(stepRows)
      const remove = (transaction: Database['reader']) =>
        transaction.deleteFrom('ig_idempotency').where('key', 'in', keys).executeTakeFirst()
      const { numDeletedRows } = await inTransaction(database, remove, wait, limit)
      return Number(numDeletedRows)
    },
    listSizes: (before) =>
      reader
        .selectFrom('ig_idempotency')
        .select(['expires', 'size'])
        .where('expires', '<', before)
        .orderBy('expires', 'desc')
        .limit(stepSizes)
        .execute(),
  }
}

/** Its values: key, owner, until when, now. */
const insertClaimRow = sql`
  insert into ig_idempotency_claim (key, owner, until) values (${''}, ${''}, ${0})
  on conflict (key) do update set owner = excluded.owner, until = excluded.until
  where ig_idempotency_claim.until <= ${0}
  returning owner`
