/**
 * Session tokens as rows (specification 27.12 to 27.16): keys, and what is revoked. Every change takes a new epoch of the
 * operators, which serializes changes, and which other processes poll.
 */
import type { Kysely, Selectable } from 'kysely'
import { nextEpoch } from '../../store/epoch.ts'
import type { Databases } from '../../store/feature-tables.ts'
import type { Tables } from '../../store/tables.ts'
import { raiseGeneration } from '../../store/token-generations.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { NewSessionKey, SessionTokenStore } from './contract.ts'
import type { SessionKey } from './session-token.ts'

/** Milliseconds that an ended key is still listed. */
const listedFor = 30 * 24 * 3_600_000

export function openSessionTokenRows({ main: database }: Pick<Databases, 'main'>): SessionTokenStore {
  const change = <Result>(work: (transaction: Kysely<Tables>, epoch: number) => Promise<Result>) =>
    inTransaction(database, async (transaction) => work(transaction, await nextEpoch(transaction, 'operators')))
  const rows: SessionTokenStore = {
    read: () => rows.changedSince(-1),
    async changedSince(epoch) {
      const { reader } = database
      const generations = await reader
        .selectFrom('ig_session_generation')
        .selectAll()
        .where('changed', '>', epoch)
        .execute()
      const revoked = await reader.selectFrom('ig_session_revoked').selectAll().where('changed', '>', epoch).execute()
      return {
        keys: await readKeys(reader),
        generations: generations.map(({ operator_id, generation, time }) => ({
          operatorId: operator_id,
          generation,
          time,
        })),
        revoked: revoked.map(({ id, expires }) => ({ id, expires })),
      }
    },
    ensureKey: (key) =>
      change(async (transaction) => {
        const keys = await readKeys(transaction)
        if (keys.some(({ ends }) => ends === null)) return keys
        return [await insertKey(transaction, key, key.created), ...keys]
      }),
    rotateKey: (key, { signs, lifetime }) =>
      change(async (transaction) => {
        await transaction
          .updateTable('ig_session_key')
          .set({ ends: signs + lifetime })
          .where('ends', 'is', null)
          .execute()
        await transaction
          .deleteFrom('ig_session_key')
          .where('ends', '<', key.created - listedFor)
          .execute()
        await insertKey(transaction, key, signs)
        return true as const
      }),
    revokeKey: (id, replacement) =>
      change(async (transaction) => {
        const now = replacement.created
        const { numUpdatedRows } = await transaction
          .updateTable('ig_session_key')
          .set({ ends: now })
          .where('id', '=', id)
          .where((or) => or.or([or('ends', 'is', null), or('ends', '>', now)]))
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        const others = await readKeys(transaction)
        if (!others.some(({ signs, ends }) => signs <= now && ends === null))
          await insertKey(transaction, replacement, now)
        return true
      }),
    revokeOperator: (operatorId) =>
      change(async (transaction, changed) => {
        const operator = transaction.selectFrom('ig_operator').select('id').where('id', '=', operatorId)
        if (!(await operator.executeTakeFirst())) return false
        return raiseGeneration(transaction, operatorId, database.columnTypes.clock, changed)
      }),
    revokeToken: ({ id, expires }, now) =>
      change(async (transaction, changed) => {
        await transaction.deleteFrom('ig_session_revoked').where('expires', '<', now).execute()
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('ig_session_revoked')
          .values({ id, expires, changed })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow()
        return numInsertedOrUpdatedRows !== 0n
      }),
    resealKey: ({ id, privateKey }, sealed) =>
      change(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('ig_session_key')
          .set({ private_key: sealed })
          .where('id', '=', id)
          .where('private_key', '=', privateKey)
          .executeTakeFirst()
        return numUpdatedRows !== 0n
      }),
  }
  return rows
}

/** The newest first. */
async function readKeys(reader: Kysely<Tables>): Promise<readonly SessionKey[]> {
  const rows = await reader.selectFrom('ig_session_key').selectAll().orderBy('signs', 'desc').orderBy('id').execute()
  return rows.map(toKey)
}

function toKey({ public_key, private_key, ...rest }: Selectable<Tables['ig_session_key']>): SessionKey {
  return { ...rest, publicKey: public_key, privateKey: private_key }
}

async function insertKey(
  transaction: Kysely<Tables>,
  { id, publicKey, privateKey, created }: NewSessionKey,
  signs: number,
): Promise<SessionKey> {
  const row = { id, public_key: publicKey, private_key: privateKey, created, signs, ends: null }
  await transaction.insertInto('ig_session_key').values(row).execute()
  return toKey(row)
}
