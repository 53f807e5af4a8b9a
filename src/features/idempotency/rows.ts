/**
 * Stored responses as rows (specification 26.4, 26.7): written in the handler's own transaction, where the key is unique, so
 * that of two calls only one is stored. A claim keeps the handler from running twice at a time.
 */
import { sql } from 'kysely'
import { askTogether } from '../../base/ask-together.ts'
import type { Database } from '../../store/database.ts'
import { executeAlone } from '../../store/execute-alone.ts'
import type { Databases } from '../../store/feature-tables.ts'
import type { Tables } from '../../store/tables.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { Claim, ClaimedRow, IdempotencyStore, StoredRow } from './contract.ts'
import { statementsFor } from './tables.ts'

/** For its turn, and in total, in milliseconds. */
const wait = 5_000
const limit = 10_000
/** Milliseconds: a paused process may still keep its answer with a claim that no other call has taken. */
const longEnded = 3_600_000
/** Milliseconds in which the claims of a crowd gather, at most: much of what a claim costs is the way to the database. */
const gathers = 8
/** Rows of one step: each takes a few milliseconds, and others have their turn between them. */
const stepRows = 500
const stepSizes = 2_000

export function openIdempotencyRows({ main: database, cache: claims }: Databases): IdempotencyStore {
  const { reader } = database
  const statements = statementsFor(database.columnTypes)
  const findRow = reader // compiled once
    .selectFrom('ig_idempotency')
    .select(['request', 'status', 'answer'])
    .where('key', '=', '')
    .where('expires', '>', 0)
    .compile()
  const find = async (key: string, now: number): Promise<StoredRow | undefined> => {
    const { rows } = await reader.executeQuery<Tables['ig_idempotency']>({ ...findRow, parameters: [key, now] })
    return rows[0]
  }
  const keepRow = statements.keep.compile(reader)
  const claimRows = statements.claim.compile(reader)
  const findRows = statements.findStored?.compile(reader)
  const claimAll = async (asked: readonly AskedClaim[]) => {
    const parameters = [JSON.stringify(asked.toSorted((one, two) => (one.key < two.key ? -1 : 1)))] // so no two processes wait for each other
    const { rows } = await executeAlone<ClaimedRow>(claims, { ...claimRows, parameters }, wait, limit)
    const owners = new Set(rows.map(({ owner }) => owner))
    const { rows: found } = findRows ? await reader.executeQuery<ClaimedRow>({ ...findRows, parameters }) : { rows } // after the claims: what was kept before them is visible
    const answers = new Map(found.map((row) => [row.key, toStoredRow(row)]))
    const needless = asked.filter(({ key, owner }) => owners.has(owner) && answers.get(key))
    if (needless.length > 0) void release(needless).catch(() => {}) // they would expire
    return asked.map(({ key, owner }) => answers.get(key) ?? (owners.has(owner) ? 'claimed' : 'taken'))
  }
  const ask = askTogether(claimAll, gathers)
  const releaseRows = statements.release.compile(reader)
  const renewRows = statements.renew.compile(reader)
  const release = async (held: readonly Claim[]) => {
    await executeAlone(claims, { ...releaseRows, parameters: [JSON.stringify(held)] }, wait, limit)
  }
  return {
    find,
    claim: ({ key, owner }, lease, now) => ask({ key, owner, lease, now }),
    async renew(held, lease) {
      await executeAlone(claims, { ...renewRows, parameters: [lease, JSON.stringify(held)] }, wait, limit)
    },
    release,
    async deleteEndedClaims() {
      const ended = sql<number>`${database.columnTypes.clock} - ${longEnded}`
      const remove = (transaction: Database['reader']) =>
        transaction.deleteFrom('ig_idempotency_claim').where('until', '<=', ended).execute()
      await inTransaction(claims, remove, wait, limit)
    },
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
    async sumSizes(after) {
      const later = reader.selectFrom('ig_idempotency').where('expires', '>', after)
      const last = later.select('expires').orderBy('expires').offset(stepSizes).limit(1)
      const rows = await later
        .where(({ eb, fn }) => eb('expires', '<=', fn.coalesce(last, sql<number>`${Number.MAX_VALUE}`)))
        .select(({ fn }) => ['operator', fn.sum<number>('size').as('size'), fn.max('expires').as('expires')])
        .groupBy('operator')
        .execute()
      return rows.map(({ size, ...row }) => ({ ...row, size: Number(size) })) // PostgreSQL returns bigint
    },
  }
}

interface AskedClaim extends Claim {
  readonly lease: number
  readonly now: number
}

function toStoredRow({ request = null, status, answer }: ClaimedRow): StoredRow | undefined {
  return request === null ? undefined : { request, status: status as number, answer: answer as Buffer }
}
