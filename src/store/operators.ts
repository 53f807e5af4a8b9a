/** Operators as rows (specification 3.2): every change takes a new epoch, which other processes poll (3.4). */
import type { Kysely } from 'kysely'
import type { OperatorChange, PreparedEntry } from '../configuration/operator-file/apply-entry.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { Operator } from '../model/operator.ts'
import type { Database } from './database.ts'
import { nextEpoch, readEpoch } from './epoch.ts'
import { applyEntries, holderEntries, importOperators, readHolders } from './import-operators.ts'
import { type ListField, listFields, removeOperators, replaceList } from './operator-lists.ts'
import { readOperatorPage } from './operator-page.ts'
import type { NewOperator, OperatorStore, ValueChange } from './operator-store.ts'
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

type CompleteOperator = Omit<Operator, 'certificates'> & { readonly certificates: readonly string[] }
type ChangedField = 'description' | 'isLocked' | ListField

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
    write: (transaction: HandlerDatabase<Tables>, changed: number) => Promise<T>,
    expectedVersion?: number,
  ): Promise<T | false> =>
    inTransaction(database, async (transaction) => {
      const changed = await nextEpoch(transaction, 'operators')
      let update = transaction.updateTable('ig_operator').set({ changed }).where('id', '=', id)
      if (expectedVersion !== undefined) update = update.where('changed', '=', expectedVersion)
      const { numUpdatedRows } = await update.executeTakeFirst()
      return numUpdatedRows > 0n && write(transaction, changed)
    })
  /** @param write false: nothing is to be changed @returns the field before and after */
  const change = <Field extends ChangedField>(
    id: string,
    field: Field,
    write: (transaction: HandlerDatabase<Tables>, before: CompleteOperator[Field]) => Promise<unknown>,
    expectedVersion?: number,
  ): Promise<ValueChange<Pick<CompleteOperator, Field>> | false> => {
    const writeAndRead = async (transaction: HandlerDatabase<Tables>) => {
      const read = async () => {
        const [operator] = await readOperators(transaction, { id })
        return { [field]: operator?.[field] ?? [] } as Pick<CompleteOperator, Field> // only a list is absent
      }
      const before = await read()
      return (await write(transaction, before[field])) !== false && { before, after: await read() }
    }
    return update(id, writeAndRead, expectedVersion)
  }
  return {
    list: () => read({}),
    holders: (permissionList) => readHolders(reader, permissionList),
    async countHolders(permissionLists) {
      const rows = await reader
        .selectFrom('ig_operator_permission_list')
        .select(({ fn }) => ['permission_list', fn.countAll<number>().as('holders')])
        .where('permission_list', 'in', permissionLists)
        .groupBy('permission_list')
        .execute()
      return new Map(rows.map((row) => [row.permission_list, Number(row.holders)]))
    },
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
      update(id, async (transaction, changed) => {
        await setValues(transaction, id, { password_hash: passwordHash })
        await raiseGeneration(transaction, id, clock, changed)
        return true
      }),
    setEmails: (id, emails, expectedVersion) =>
      change(id, 'emails', (transaction) => replaceList(transaction, 'emails', [{ id, emails }]), expectedVersion),
    setCertificates: (id, certificates, expectedVersion) =>
      change(
        id,
        'certificates',
        (transaction) => replaceList(transaction, 'certificates', [{ id, certificates }]),
        expectedVersion,
      ),
    setDescription: (id, description, expectedVersion) =>
      change(id, 'description', (transaction) => setValues(transaction, id, { description }), expectedVersion),
    setLocked: (id, isLocked) =>
      change(id, 'isLocked', (transaction) => setValues(transaction, id, { is_locked: isLocked ? 1 : 0 })),
    remove: (id) =>
      update(id, async (transaction, changed) => {
        const [known] = await readOperators(transaction, { id })
        if (!known) return false
        await raiseGeneration(transaction, id, clock, changed) // also tells other processes: see findRemoved
        await removeOperators(transaction, [id])
        const { id: _, passwordHash: __, ...before } = known
        return { before }
      }),
    grant: (id, permissionList) =>
      change(id, 'permissionLists', (transaction, held) =>
        replaceList(transaction, 'permissionLists', [{ id, permissionLists: [...held, permissionList] }]),
      ),
    revoke: (id, permissionList) =>
      change(id, 'permissionLists', async (transaction, held) => {
        if (!held.includes(permissionList)) return false
        const permissionLists = held.filter((name) => name !== permissionList)
        return replaceList(transaction, 'permissionLists', [{ id, permissionLists }])
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

async function setValues(
  transaction: Kysely<Tables>,
  id: string,
  values: Partial<Tables['ig_operator']>,
): Promise<void> {
  await transaction.updateTable('ig_operator').set(values).where('id', '=', id).execute()
}

async function addOperator(transaction: HandlerDatabase<Tables>, operator: NewOperator): Promise<boolean> {
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
  const lists = { id, emails, certificates, permissionLists }
  for (const field of listFields) await replaceList(transaction, field, [lists], [])
  return true
}
