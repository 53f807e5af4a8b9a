/** What an operator has several of, in a table of its own: one row each. */
import type { Kysely } from 'kysely'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { Operator } from '../model/operator.ts'
import type { Tables } from './tables.ts'

const lists = {
  emails: {
    table: 'ig_operator_email',
    columns: ['operator_id', 'type', 'address', 'is_primary'],
    rows: ({ id, emails = [] }) => emails.map(({ type, address, isPrimary }) => [id, type, address, isPrimary ? 1 : 0]),
  },
  certificates: {
    table: 'ig_operator_certificate',
    columns: ['operator_id', 'certificate'],
    rows: ({ id, certificates = [] }) => [...new Set(certificates)].map((certificate) => [id, certificate]),
  },
  permissionLists: {
    table: 'ig_operator_permission_list',
    columns: ['operator_id', 'permission_list'],
    rows: ({ id, permissionLists = [] }) => [...new Set(permissionLists)].map((name) => [id, name]),
  },
} as const satisfies Readonly<Record<string, OperatorList>>

type ListOwner = Pick<Operator, 'id'> & Partial<Operator>

interface OperatorList {
  readonly table: keyof Tables
  readonly columns: readonly string[]
  rows(owner: ListOwner): readonly (readonly unknown[])[]
}

export type ListField = keyof typeof lists
export const listFields = Object.keys(lists) as readonly ListField[]

/** Ids in one statement: SQLite has a limit. */
export const idsAtOnce = 500

/** @param existing those that have rows */
export async function replaceList(
  transaction: HandlerDatabase<Tables>,
  field: ListField,
  owners: readonly ListOwner[],
  existing: readonly string[] = owners.map(({ id }) => id),
): Promise<void> {
  const { table } = lists[field]
  const { columns, rows }: OperatorList = lists[field]
  for (let from = 0; from < existing.length; from += idsAtOnce)
    await transaction
      .deleteFrom(table)
      .where('operator_id', 'in', existing.slice(from, from + idsAtOnce))
      .execute()
  await transaction.insertRows(table, columns as never, owners.flatMap(rows) as never)
}

/** Removes operators with all that belongs to them. */
export async function removeOperators(transaction: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  for (const { table } of Object.values(lists))
    await transaction.deleteFrom(table).where('operator_id', 'in', ids).execute()
  await transaction.deleteFrom('ig_operator').where('id', 'in', ids).execute()
}
