/** Many operators in one transaction: all entries of a file are stored, or none (specification 37.1). */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  type AppliedEntry,
  applyEntry,
  type OperatorChange,
  type PreparedEntry,
} from '../configuration/operator-file/apply-entry.ts'
import { databaseType } from '../model/database-type.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { Operator } from '../model/operator.ts'
import { idsAtOnce, type ListField, listFields, replaceList } from './operator-lists.ts'
import type { Tables } from './tables.ts'
import { raiseGenerations } from './token-generations.ts'

/** Reads the existing operators with these ids. */
export type ReadOperators = (ids: readonly string[]) => Promise<readonly Operator[]>

/** Without statistics, which it gathers a minute later, PostgreSQL reads whole tables for some hundred ids. */
const manyOperators = 5000

export async function* applyEntries(
  entries: readonly PreparedEntry[],
  read: ReadOperators,
): AsyncIterable<AppliedEntry> {
  for (let from = 0; from < entries.length; from += idsAtOnce) {
    const some = entries.slice(from, from + idsAtOnce)
    const existing = new Map((await read(some.map(({ id }) => id))).map((operator) => [operator.id, operator]))
    for (const entry of some) {
      const applied = applyEntry(entry, existing.get(entry.id))
      if (applied) yield applied
    }
  }
}

/** @returns the changes, false for none */
export async function importOperators(
  transaction: HandlerDatabase<Tables>,
  entries: readonly PreparedEntry[],
  { epoch, clock }: { readonly epoch: number; readonly clock: RawBuilder<number> },
  read: ReadOperators,
): Promise<readonly OperatorChange[] | false> {
  const applied: AppliedEntry[] = []
  for await (const each of applyEntries(entries, read)) applied.push(each)
  if (applied.some(({ needsWrapping }) => needsWrapping))
    throw new Error('An operator changed during the import, and nothing was stored. Import the file again.')
  const granted = new Set(entries.filter(({ gains }) => gains !== undefined).map(({ id }) => id))
  if (applied.some(({ change }) => change.kind === 'added' && granted.has(change.id)))
    throw new Error('An operator was removed meanwhile, and nothing was stored. Try again.')
  if (applied.length === 0) return false
  await writeOperators(transaction, applied, epoch)
  for (const field of listFields) await writeLists(transaction, applied, field)
  if (applied.length >= manyOperators && databaseType(transaction) === 'POSTGRESQL')
    await sql`analyze ig_operator, ig_operator_email, ig_operator_certificate, ig_operator_permission_list`.execute(
      transaction,
    )
  const replaced = applied.filter(({ replacesPassword }) => replacesPassword).map(({ operator }) => operator.id)
  for (let from = 0; from < replaced.length; from += idsAtOnce)
    await raiseGenerations(transaction, replaced.slice(from, from + idsAtOnce), clock, epoch)
  return applied.map(({ change }) => change)
}

/** The grants and revocations that leave exactly these operators with the list. */
export async function holderEntries(
  reader: Kysely<Tables>,
  permissionList: string,
  ids: readonly string[],
): Promise<readonly PreparedEntry[]> {
  const [holders, wanted] = [new Set(await readHolders(reader, permissionList)), new Set(ids)]
  return [
    ...[...wanted].filter((id) => !holders.has(id)).map((id) => ({ id, gains: permissionList })),
    ...[...holders].filter((id) => !wanted.has(id)).map((id) => ({ id, loses: permissionList })),
  ]
}

export async function readHolders(reader: Kysely<Tables>, permissionList: string): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('ig_operator_permission_list')
    .select('operator_id')
    .where('permission_list', '=', permissionList)
    .orderBy('operator_id')
    .execute()
  return rows.map(({ operator_id }) => operator_id)
}

async function writeOperators(
  transaction: HandlerDatabase<Tables>,
  applied: readonly AppliedEntry[],
  changed: number,
): Promise<void> {
  const rowsOf = (kind: OperatorChange['kind']) =>
    applied
      .filter(({ change }) => change.kind === kind)
      .map(({ operator: { id, description, passwordHash = null, isLocked } }) => ({
        id,
        description,
        password_hash: passwordHash,
        is_locked: isLocked ? (1 as const) : (0 as const),
        changed,
      }))
  const columns = ['id', 'description', 'password_hash', 'is_locked', 'changed'] as const
  await transaction.insertRows(
    'ig_operator',
    columns,
    rowsOf('added').map((row) => columns.map((column) => row[column])),
  )
  const existing = rowsOf('changed')
  for (let from = 0; from < existing.length; from += idsAtOnce)
    await transaction
      .insertInto('ig_operator')
      .values(existing.slice(from, from + idsAtOnce))
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(({ ref }) => ({
          description: ref('excluded.description'),
          password_hash: ref('excluded.password_hash'),
          is_locked: ref('excluded.is_locked'),
          changed: ref('excluded.changed'),
        })),
      )
      .execute()
}

/** Only of those whose list changes. */
async function writeLists(
  transaction: HandlerDatabase<Tables>,
  applied: readonly AppliedEntry[],
  field: ListField,
): Promise<void> {
  const changing = applied.filter(({ change }) => field in change.after)
  const existing = changing.filter(({ change }) => change.kind === 'changed').map(({ change }) => change.id)
  await replaceList(
    transaction,
    field,
    changing.map(({ operator }) => operator),
    existing,
  )
}
