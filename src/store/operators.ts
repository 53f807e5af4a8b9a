/** Operators as rows (specification 3.2): every change takes a new epoch, which other processes poll (3.4). */
import type { Kysely } from 'kysely'
import type { OperatorChange, PreparedEntry } from '../configuration/operator-file/apply-entry.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { EmailAddress, Operator } from '../model/operator.ts'
import { insertCertificates, readCertificates } from './certificates.ts'
import type { Database } from './database.ts'
import { nextEpoch, readEpoch } from './epoch.ts'
import { applyEntries, holderEntries, importOperators, readHolders, removeOperators } from './import-operators.ts'
import { readOperatorPage } from './operator-page.ts'
import type { NewOperator, OperatorStore } from './operator-store.ts'
import { type OperatorFilter, readOperators } from './read-operators.ts'
import type { Tables } from './tables.ts'
import { raiseGeneration } from './token-generations.ts'
import { inTransaction } from './transaction.ts'

export interface OperatorRows extends OperatorStore {
  changedSince(epoch: number): Promise<ChangedOperators>
}

interface ChangedOperators {
  readonly epoch: number
  readonly operators: readonly Operator[]
  readonly removed: readonly string[]
}

export function openOperators(database: Database): OperatorRows {
  const { reader, columnTypes } = database
  const { clock } = columnTypes
  const read = (filter: OperatorFilter) => readOperators(reader, filter)
  const preview = async (entries: readonly PreparedEntry[]) => {
    const changes: OperatorChange[] = []
    for await (const { change } of applyEntries(entries, (ids) => read({ ids }))) changes.push(change)
    return changes
  }
  const importAll = (entriesOf: (transaction: HandlerDatabase<Tables>) => Promise<readonly PreparedEntry[]>) =>
    inTransaction(database, async (transaction) => {
      const epoch = await nextEpoch(transaction, 'operators')
      const entries = await entriesOf(transaction)
      return importOperators(transaction, entries, { epoch, clock }, (ids) => readOperators(transaction, { ids }))
    })
  const update = <T>(
    id: string,
    values: Partial<Tables['ig_operator']>,
    also: (tx: Kysely<Tables>, changed: number) => Promise<T>,
    expectedVersion?: number,
  ): Promise<T | false> =>
    inTransaction(database, async (transaction) => {
      const changed = await nextEpoch(transaction, 'operators')
      let update = transaction
        .updateTable('ig_operator')
        .set({ ...values, changed })
        .where('id', '=', id)
      if (expectedVersion !== undefined) update = update.where('changed', '=', expectedVersion)
      const { numUpdatedRows } = await update.executeTakeFirst()
      if (numUpdatedRows === 0n) return false
      return also(transaction, changed)
    })
  return {
    list: () => read({}),
    holders: (permissionList) => readHolders(reader, permissionList),
    page: (query) => readOperatorPage(reader, query, (ids) => read({ ids })),
    find: async (id) => (await read({ id }))[0],
    async versionOf(id) {
      return (await reader.selectFrom('ig_operator').select('changed').where('id', '=', id).executeTakeFirst())?.changed
    },
    add: (operator) => inTransaction(database, (transaction) => addOperator(transaction, operator)),
    preview,
    import: (entries) => importAll(async () => entries),
    previewHolders: async (permissionList, ids) => preview(await holderEntries(reader, permissionList, ids)),
    setHolders: (permissionList, ids) => importAll((transaction) => holderEntries(transaction, permissionList, ids)),
    replacePasswordHash: (id, replaced, passwordHash) =>
      inTransaction(database, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('ig_operator')
          .set({ password_hash: passwordHash, changed: await nextEpoch(transaction, 'operators') })
          .where('id', '=', id)
          .where('password_hash', replaced === undefined ? 'is' : '=', replaced ?? null)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }),
    setPasswordHash: (id, passwordHash) =>
      update(id, { password_hash: passwordHash }, async (transaction, changed) => {
        await raiseGeneration(transaction, id, clock, changed)
        return true
      }),
    setEmails: (id, emails, expectedVersion) =>
      update(
        id,
        {},
        async (transaction) => {
          const before = await readEmails(transaction, id)
          await transaction.deleteFrom('ig_operator_email').where('operator_id', '=', id).execute()
          await insertEmails(transaction, id, emails)
          return { before, after: { emails } }
        },
        expectedVersion,
      ),
    setCertificates: (id, certificates, expectedVersion) =>
      update(
        id,
        {},
        async (transaction) => {
          const before = await readCertificates(transaction, id)
          await transaction.deleteFrom('ig_operator_certificate').where('operator_id', '=', id).execute()
          await insertCertificates(transaction, id, certificates)
          return { before, after: await readCertificates(transaction, id) }
        },
        expectedVersion,
      ),
    setDescription: (id, description, expectedVersion) =>
      update(
        id,
        {},
        async (transaction) => {
          const own = transaction.selectFrom('ig_operator').select('description').where('id', '=', id)
          const before = await own.executeTakeFirstOrThrow()
          await transaction.updateTable('ig_operator').set({ description }).where('id', '=', id).execute()
          return { before, after: { description } }
        },
        expectedVersion,
      ),
    setLocked: (id, isLocked) =>
      update(id, {}, async (transaction) => {
        const own = transaction.selectFrom('ig_operator').select('is_locked').where('id', '=', id)
        const { is_locked } = await own.executeTakeFirstOrThrow()
        const values = { is_locked: isLocked ? 1 : 0 } as const
        await transaction.updateTable('ig_operator').set(values).where('id', '=', id).execute()
        return { before: { isLocked: is_locked === 1 }, after: { isLocked } }
      }),
    remove: (id) =>
      update(id, {}, async (transaction, changed) => {
        const [known] = await readOperators(transaction, { id })
        if (!known) return false
        await raiseGeneration(transaction, id, clock, changed) // also tells other processes: see findRemoved
        await removeOperators(transaction, [id])
        const { id: _, passwordHash: __, ...before } = known
        return { before }
      }),
    grant: (id, permissionList) =>
      update(id, {}, async (transaction) => {
        const before = await readGrants(transaction, id)
        await transaction
          .insertInto('ig_operator_permission_list')
          .values({ operator_id: id, permission_list: permissionList })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        return { before, after: await readGrants(transaction, id) }
      }),
    revoke: (id, permissionList) =>
      update(id, {}, async (transaction) => {
        const before = await readGrants(transaction, id)
        if (!before.permissionLists.includes(permissionList)) return false
        await transaction
          .deleteFrom('ig_operator_permission_list')
          .where('operator_id', '=', id)
          .where('permission_list', '=', permissionList)
          .execute()
        return { before, after: await readGrants(transaction, id) }
      }),
    async changedSince(epoch) {
      // Read before the rows: changes during the paging are returned again by the next poll.
      const current = await readEpoch(reader, 'operators')
      if (current === epoch) return { epoch, operators: [], removed: [] }
      const operators = await read({ changedSince: epoch })
      return { epoch: current, operators, removed: await findRemoved(reader, epoch) }
    },
  }
}

/** The generation of its session tokens outlives a removed operator. */
async function findRemoved(reader: Kysely<Tables>, epoch: number): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('ig_session_generation')
    .select('operator_id')
    .where('changed', '>', epoch)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('ig_operator').select('id').whereRef('id', '=', 'operator_id'))),
    )
    .execute()
  return rows.map(({ operator_id }) => operator_id)
}

async function readGrants(transaction: Kysely<Tables>, id: string): Promise<Pick<Operator, 'permissionLists'>> {
  const rows = await transaction
    .selectFrom('ig_operator_permission_list')
    .select('permission_list')
    .where('operator_id', '=', id)
    .orderBy('permission_list')
    .execute()
  return { permissionLists: rows.map(({ permission_list }) => permission_list) }
}

async function readEmails(transaction: Kysely<Tables>, id: string): Promise<Pick<Operator, 'emails'>> {
  const rows = transaction.selectFrom('ig_operator_email').selectAll().where('operator_id', '=', id)
  const emails = await rows.orderBy('is_primary', 'desc').orderBy('type').orderBy('address').execute()
  return { emails: emails.map(({ type, address, is_primary }) => ({ type, address, isPrimary: is_primary === 1 })) }
}

async function addOperator(transaction: Kysely<Tables>, operator: NewOperator): Promise<boolean> {
  const { id, description = '', passwordHash = null, emails = [], isLocked = false, permissionLists = [] } = operator
  const { certificates = [] } = operator
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('ig_operator')
    .values({
      id,
      description,
      password_hash: passwordHash,
      is_locked: isLocked ? 1 : 0,
      changed: await nextEpoch(transaction, 'operators'),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) return false
  await insertEmails(transaction, id, emails)
  await insertCertificates(transaction, id, certificates)
  for (const permission_list of new Set(permissionLists)) {
    await transaction.insertInto('ig_operator_permission_list').values({ operator_id: id, permission_list }).execute()
  }
  return true
}

async function insertEmails(transaction: Kysely<Tables>, id: string, emails: readonly EmailAddress[]): Promise<void> {
  for (const { type, address, isPrimary } of emails) {
    const is_primary = isPrimary ? 1 : 0
    await transaction.insertInto('ig_operator_email').values({ operator_id: id, type, address, is_primary }).execute()
  }
}
