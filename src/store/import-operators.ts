/** Many operators in one transaction: all entries of a file are stored, or none (specification 37.1). */
import type { Kysely } from 'kysely'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { Operator } from '../model/operator.ts'
import {
  type Applied,
  applyEntry,
  type OperatorChange,
  type PreparedEntry,
} from '../model/operator-file/apply-entry.ts'
import { raiseGeneration } from './session-tokens/raise-generation.ts'
import type { Tables } from './tables.ts'

/** Of the existing operators with these ids. */
export type ReadOperators = (ids: readonly string[]) => Promise<readonly Operator[]>

/** Ids in one statement: SQLite has a limit. */
const idsAtOnce = 500

export async function* applyEntries(entries: readonly PreparedEntry[], read: ReadOperators): AsyncIterable<Applied> {
  for (let from = 0; from < entries.length; from += idsAtOnce) {
    const some = entries.slice(from, from + idsAtOnce)
    const existing = new Map((await read(some.map(({ id }) => id))).map((operator) => [operator.id, operator]))
    for (const entry of some) {
      const applied = applyEntry(entry, existing.get(entry.id))
      if (applied) yield applied
    }
  }
}

/** @param changed the epoch @returns the changes, false for none */
export async function importOperators(
  transaction: HandlerDatabase<Tables>,
  entries: readonly PreparedEntry[],
  changed: number,
  read: ReadOperators,
): Promise<readonly OperatorChange[] | false> {
  const applied: Applied[] = []
  for await (const each of applyEntries(entries, read)) applied.push(each)
  if (applied.some(({ needsWrapping }) => needsWrapping))
    throw new Error('An operator changed during the import, and nothing was stored. Import the file again.')
  if (applied.length === 0) return false
  const existing = applied.filter(({ change }) => change.kind === 'changed').map(({ change }) => change.id)
  for (let from = 0; from < existing.length; from += idsAtOnce)
    await removeOperators(transaction, existing.slice(from, from + idsAtOnce))
  await insertOperators(
    transaction,
    applied.map(({ operator }) => operator),
    changed,
  )
  const time = Date.now()
  for (const { operator, replacesPassword } of applied)
    if (replacesPassword) await raiseGeneration(transaction, operator.id, time, changed)
  return applied.map(({ change }) => change)
}

/** The grants and revocations that leave exactly these operators with the list. */
export async function holderEntries(
  reader: Kysely<Tables>,
  permissionList: string,
  ids: readonly string[],
): Promise<readonly PreparedEntry[]> {
  const rows = await reader
    .selectFrom('ig_operator_permission_list')
    .select('operator_id')
    .where('permission_list', '=', permissionList)
    .orderBy('operator_id')
    .execute()
  const [holders, wanted] = [new Set(rows.map(({ operator_id }) => operator_id)), new Set(ids)]
  return [
    ...[...wanted].filter((id) => !holders.has(id)).map((id) => ({ id, gains: permissionList })),
    ...[...holders].filter((id) => !wanted.has(id)).map((id) => ({ id, loses: permissionList })),
  ]
}

/** An import inserts them again at once: several times faster than an update for each. */
export async function removeOperators(transaction: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  for (const table of ['ig_operator_email', 'ig_operator_certificate', 'ig_operator_permission_list'] as const)
    await transaction.deleteFrom(table).where('operator_id', 'in', ids).execute()
  await transaction.deleteFrom('ig_operator').where('id', 'in', ids).execute()
}

async function insertOperators(
  transaction: HandlerDatabase<Tables>,
  operators: readonly Operator[],
  changed: number,
): Promise<void> {
  await transaction.insertRows(
    'ig_operator',
    ['id', 'description', 'password_hash', 'is_locked', 'changed'],
    operators.map(({ id, description, passwordHash = null, isLocked }) => [
      id,
      description,
      passwordHash,
      isLocked ? 1 : 0,
      changed,
    ]),
  )
  await transaction.insertRows(
    'ig_operator_email',
    ['operator_id', 'type', 'address', 'is_primary'],
    operators.flatMap(({ id, emails }) =>
      emails.map(({ type, address, isPrimary }) => [id, type, address, isPrimary ? 1 : 0]),
    ),
  )
  await transaction.insertRows(
    'ig_operator_certificate',
    ['operator_id', 'certificate'],
    operators.flatMap(({ id, certificates = [] }) => certificates.map((certificate) => [id, certificate])),
  )
  await transaction.insertRows(
    'ig_operator_permission_list',
    ['operator_id', 'permission_list'],
    operators.flatMap(({ id, permissionLists }) => permissionLists.map((name) => [id, name])),
  )
}
