/** Second factors, recovery codes, and what a person was asked to prove, as rows (specification 34.20 to 34.25, 34.27). */
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'
import { nextEpoch } from '../epoch.ts'
import type { Tables } from '../tables.ts'
import { type DatabaseTransaction, inTransaction } from '../transaction.ts'
import { endSessionsOf } from './administrator-rows.ts'
import type { Factor, FactorStore, Proof } from './factors-contract.ts'

export async function createFactorTables(database: Kysely<Tables>, { text }: ColumnTypes): Promise<void> {
  await sql`create table ig_admin_factor (
    id ${text} primary key, administrator ${text} not null references ig_administrator (name),
    kind text not null, name text not null, secret text not null, counter bigint not null,
    created bigint not null, used bigint)`.execute(database)
  await sql`create table ig_admin_recovery_code (
    digest ${text} primary key, administrator ${text} not null references ig_administrator (name))`.execute(database)
  await sql`create table ig_admin_challenge (
    digest ${text} primary key, administrator ${text} not null references ig_administrator (name),
    content text not null, expires bigint not null)`.execute(database)
}

export function openFactors(database: Database): FactorStore {
  const { reader } = database
  const change = <Result>(work: (transaction: DatabaseTransaction) => Promise<Result>) =>
    inTransaction(database, async (transaction) => {
      await nextEpoch(transaction, 'administrators') // one at a time, and none beside a new password
      return work(transaction)
    })
  return {
    list: async (administrator) => (await readFactors(reader, administrator)).map(toFactor),
    async countCodes(administrator) {
      const codes = reader.selectFrom('ig_admin_recovery_code').select((count) => count.fn.countAll().as('all'))
      const found = await codes.where('administrator', '=', administrator).executeTakeFirst()
      return Number(found?.all ?? 0)
    },
    ask: (challenge, now) =>
      inTransaction(database, async (transaction) => {
        await transaction.deleteFrom('ig_admin_challenge').where('expires', '<=', now).execute()
        await transaction.deleteFrom('ig_admin_challenge').where('digest', '=', challenge.digest).execute()
        await transaction.insertInto('ig_admin_challenge').values(challenge).execute()
        return true as const
      }),
    countCode: (administrator, version, now) =>
      inTransaction(database, async (transaction) => {
        await transaction.deleteFrom('ig_admin_challenge').where('expires', '<=', now).execute()
        const count = { digest: countOf(administrator, version), administrator, content: '1', expires: now + countLife }
        const { content } = await transaction
          .insertInto('ig_admin_challenge')
          .values(count)
          .onConflict((conflict) =>
            conflict.column('digest').doUpdateSet({
              content: sql<string>`cast(cast(ig_admin_challenge.content as integer) + 1 as text)`,
            }),
          )
          .returning('content')
          .executeTakeFirstOrThrow()
        return Number(content)
      }),
    findChallenge: (digest, now) =>
      reader
        .selectFrom('ig_admin_challenge')
        .selectAll()
        .where('digest', '=', digest)
        .where('expires', '>', now)
        .executeTakeFirst(),
    add: ({ used: _, ...factor }, { challenge, session, codes }) =>
      change(async (transaction) => {
        if (!(await useChallenge(transaction, challenge, factor.created))) return false
        const isFirst = (await readFactors(transaction, factor.administrator)).length === 0
        await transaction
          .insertInto('ig_admin_factor')
          .values({ ...factor, used: null })
          .execute()
        if (isFirst) await insertCodes(transaction, factor.administrator, codes)
        await endSessionsOf(transaction, factor.administrator, session)
        return { isFirst }
      }),
    remove: (administrator, id, session) =>
      change(async (transaction) => {
        const deletion = transaction
          .deleteFrom('ig_admin_factor')
          .where('id', '=', id)
          .where('administrator', '=', administrator)
        if ((await deletion.executeTakeFirst()).numDeletedRows === 0n) return false
        if ((await readFactors(transaction, administrator)).length === 0) await deleteCodes(transaction, administrator)
        await endSessionsOf(transaction, administrator, session)
        return true
      }),
    replaceCodes: (administrator, codes) =>
      change(async (transaction) => {
        if ((await readFactors(transaction, administrator)).length === 0) return false
        await insertCodes(transaction, administrator, codes)
        return true
      }),
    signIn: (session, { challenge, version, proof }) =>
      change(async (transaction) => {
        const { administrator, created } = session
        const own = transaction.selectFrom('ig_administrator').select('name').where('name', '=', administrator)
        const isSame = await own.where('changed', '=', version).where('is_locked', '=', 0).executeTakeFirst()
        if (!isSame || !(await useProof(transaction, administrator, proof, created))) return false
        if (!(await useChallenge(transaction, challenge, created))) throw new ChallengeUsed() // the proof stays
        const counted = transaction
          .deleteFrom('ig_admin_challenge')
          .where('digest', '=', countOf(administrator, version))
        await counted.execute()
        await transaction.insertInto('ig_admin_session').values(session).execute()
        return true
      }).catch((error) => {
        if (error instanceof ChallengeUsed) return false
        throw error
      }),
    reset: (administrator) =>
      change(async (transaction) => {
        const factors = await readFactors(transaction, administrator)
        if (factors.length === 0) return false
        await transaction.deleteFrom('ig_admin_factor').where('administrator', '=', administrator).execute()
        await deleteCodes(transaction, administrator)
        await transaction.deleteFrom('ig_admin_challenge').where('administrator', '=', administrator).execute()
        await endSessionsOf(transaction, administrator)
        return { before: { secondFactors: factors.map(({ kind }) => kind) }, after: { secondFactors: [] } }
      }),
    reseal: ({ id, secret }, sealed) =>
      change(async (transaction) => {
        const update = transaction.updateTable('ig_admin_factor').set({ secret: sealed }).where('id', '=', id)
        return (await update.where('secret', '=', secret).executeTakeFirst()).numUpdatedRows !== 0n
      }),
  }
}

/** Milliseconds. */
const countLife = 24 * 3_600_000

/** Where the challenges are, the row that counts codes: no digest has this form. */
function countOf(administrator: string, version: number): string {
  return `codes ${version} ${administrator}`
}

class ChallengeUsed extends Error {}

function readFactors(reader: DatabaseTransaction, administrator: string | undefined) {
  const rows = reader.selectFrom('ig_admin_factor').selectAll().orderBy('created').orderBy('id')
  return (administrator === undefined ? rows : rows.where('administrator', '=', administrator)).execute()
}

/** @returns false if it was used, has expired, or never was */
async function useChallenge(transaction: DatabaseTransaction, digest: string, now: number): Promise<boolean> {
  const deletion = transaction.deleteFrom('ig_admin_challenge').where('digest', '=', digest).where('expires', '>', now)
  return (await deletion.executeTakeFirst()).numDeletedRows !== 0n
}

/** @returns false if it was used before */
async function useProof(
  transaction: DatabaseTransaction,
  administrator: string,
  proof: Proof,
  used: number,
): Promise<boolean> {
  if ('code' in proof) {
    const code = transaction.deleteFrom('ig_admin_recovery_code').where('digest', '=', proof.code)
    return (await code.where('administrator', '=', administrator).executeTakeFirst()).numDeletedRows !== 0n
  }
  const { factor, counter } = proof
  const update = transaction
    .updateTable('ig_admin_factor')
    .set({ counter, used })
    .where('id', '=', factor)
    .where('administrator', '=', administrator)
  // Some passkeys do not count their uses: their counter is always 0
  const isNext = await (counter === 0
    ? update.where('counter', '=', 0)
    : update.where('counter', '<', counter)
  ).executeTakeFirst()
  return isNext.numUpdatedRows !== 0n
}

async function deleteCodes(transaction: DatabaseTransaction, administrator: string): Promise<void> {
  await transaction.deleteFrom('ig_admin_recovery_code').where('administrator', '=', administrator).execute()
}

/** Inserts recovery codes in place of the earlier ones. */
async function insertCodes(
  transaction: DatabaseTransaction,
  administrator: string,
  codes: readonly string[],
): Promise<void> {
  await deleteCodes(transaction, administrator)
  const rows = codes.map((digest) => ({ digest, administrator }))
  await transaction.insertInto('ig_admin_recovery_code').values(rows).execute()
}

function toFactor({ used, kind, ...rest }: Tables['ig_admin_factor']): Factor {
  return { ...rest, kind: kind === 'totp' ? kind : 'passkey', used: used ?? undefined }
}
