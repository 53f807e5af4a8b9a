/** Operators as rows (specification 3.2): every change takes a new epoch, which other processes poll (3.4). */
import type { Kysely, Selectable } from 'kysely'
import type { EmailAddress, Operator } from '../model/operator.ts'
import type { OperatorChange } from '../model/operator-file/apply-entry.ts'
import { insertCertificates, readCertificates } from './certificates.ts'
import type { Database } from './database.ts'
import { applyEntries, importOperators } from './import-operators.ts'
import type { NewOperator, OperatorStore } from './operator-store.ts'
import { raiseGeneration } from './session-tokens/raise-generation.ts'
import type { Tables } from './tables.ts'
import { inTransaction } from './transaction.ts'

export interface OperatorRows extends OperatorStore {
  changedSince(epoch: number): Promise<{ readonly epoch: number; readonly operators: readonly Operator[] }>
}

export function openOperators(database: Database): OperatorRows {
  const { reader } = database
  const read = (filter: OperatorFilter) => readOperators(reader, filter)
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
    find: async (id) => (await read({ id }))[0],
    async versionOf(id) {
      return (await reader.selectFrom('ig_operator').select('changed').where('id', '=', id).executeTakeFirst())?.changed
    },
    add: (operator) => inTransaction(database, (transaction) => addOperator(transaction, operator)),
    async preview(entries) {
      const changes: OperatorChange[] = []
      for await (const { change } of applyEntries(entries, (ids) => read({ ids }))) changes.push(change)
      return changes
    },
    import: (entries) =>
      inTransaction(database, async (transaction) => {
        const epoch = await nextEpoch(transaction, 'operators')
        return importOperators(transaction, entries, epoch, (ids) => readOperators(transaction, { ids }))
      }),
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
        await raiseGeneration(transaction, id, Date.now(), changed)
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
      return { epoch: current, operators: current === epoch ? [] : await read({ changedSince: epoch }) }
    },
  }
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

/** Locks the counter until the transaction ends: epochs become visible in order. */
export async function nextEpoch(transaction: Kysely<Tables>, name: Tables['ig_epoch']['name']): Promise<number> {
  const { epoch } = await transaction
    .updateTable('ig_epoch')
    .set((expression) => ({ epoch: expression('epoch', '+', 1) }))
    .where('name', '=', name)
    .returning('epoch')
    .executeTakeFirstOrThrow()
  return epoch
}

export async function readEpoch(reader: Kysely<Tables>, name: Tables['ig_epoch']['name']): Promise<number> {
  const row = await reader.selectFrom('ig_epoch').select('epoch').where('name', '=', name).executeTakeFirstOrThrow()
  return row.epoch
}

interface OperatorFilter {
  readonly id?: string
  readonly ids?: readonly string[]
  readonly changedSince?: number
}

/** Rows of a page are garbage before the next one is read: 100,000 operators are 150 MB. */
const pageSize = 1000

async function readOperators(reader: Kysely<Tables>, filter: OperatorFilter): Promise<Operator[]> {
  const share = openShared()
  const found: Operator[] = []
  let after: string | undefined
  for (;;) {
    const page = await readPage(reader, filter, after)
    for (const { row, emails, grants, certificates } of page)
      found.push(toOperator(row, emails, grants, certificates, share))
    if (page.length < pageSize) return found
    after = page.at(-1)?.row.id
  }
}

/** Addresses and grants are read after the operators: they may be newer than the epoch, never older. */
async function readPage(reader: Kysely<Tables>, { id, ids, changedSince }: OperatorFilter, after: string | undefined) {
  let operators = reader.selectFrom('ig_operator')
  if (id !== undefined) operators = operators.where('id', '=', id)
  if (ids !== undefined) operators = operators.where('id', 'in', ids)
  if (changedSince !== undefined) operators = operators.where('changed', '>', changedSince)
  if (after !== undefined) operators = operators.where('id', '>', after)
  const rows = await operators.selectAll().orderBy('id').limit(pageSize).execute()
  const last = rows.at(-1)
  if (!last) return []
  const those = operators.where('id', '<=', last.id).select('id')
  const emails = await reader
    .selectFrom('ig_operator_email')
    .selectAll()
    .where('operator_id', 'in', those)
    .orderBy('is_primary', 'desc')
    .orderBy('type')
    .orderBy('address')
    .execute()
  const grants = await reader
    .selectFrom('ig_operator_permission_list')
    .selectAll()
    .where('operator_id', 'in', those)
    .orderBy('permission_list')
    .execute()
  const certificates = await reader
    .selectFrom('ig_operator_certificate')
    .selectAll()
    .where('operator_id', 'in', those)
    .orderBy('certificate')
    .execute()
  const certificatesOf = Map.groupBy(certificates, (certificate) => certificate.operator_id)
  const emailsOf = Map.groupBy(emails, (email) => email.operator_id)
  const grantsOf = Map.groupBy(grants, (grant) => grant.operator_id)
  return rows.map((row) => ({
    row,
    emails: emailsOf.get(row.id) ?? [],
    grants: grantsOf.get(row.id) ?? [],
    certificates: certificatesOf.get(row.id) ?? [],
  }))
}

function toOperator(
  row: Selectable<Tables['ig_operator']>,
  emails: readonly Selectable<Tables['ig_operator_email']>[],
  grants: readonly Selectable<Tables['ig_operator_permission_list']>[],
  certificates: readonly Selectable<Tables['ig_operator_certificate']>[],
  share: (text: string) => string,
): Operator {
  return {
    id: row.id,
    description: row.description,
    passwordHash: row.password_hash ?? undefined,
    emails: emails.map(({ type, address, is_primary }) => ({
      type: share(type),
      address,
      isPrimary: is_primary === 1,
    })),
    isLocked: row.is_locked === 1,
    ...(certificates.length > 0 && { certificates: certificates.map(({ certificate }) => certificate) }),
    permissionLists: Object.freeze(grants.map(({ permission_list }) => share(permission_list))), // handlers receive it
  }
}

/** Interns names: the same few are in very many rows, and each row has its own copy. */
function openShared(): (text: string) => string {
  const texts = new Map<string, string>()
  return (text) => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return known ?? text
  }
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
