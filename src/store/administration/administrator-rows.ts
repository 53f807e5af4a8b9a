/** Rows of administrators, and what ends with their access: shared by those who sign in with a password or a provider. */
import type { Kysely } from 'kysely'
import { nextEpoch } from '../epoch.ts'
import type { Tables } from '../tables.ts'
import type { DatabaseTransaction } from '../transaction.ts'
import type { Administrator, NewAdministrator } from './contract.ts'

/** Administrators with the identities of those who have one. */
export function administratorsOf(reader: Kysely<Tables>) {
  return reader
    .selectFrom('ig_administrator')
    .leftJoin('ig_admin_identity', 'ig_admin_identity.administrator', 'ig_administrator.name')
    .selectAll('ig_administrator')
    .select(['issuer', 'subject', 'claimed'])
}

type Row = Tables['ig_administrator'] & Nullable<Pick<Tables['ig_admin_identity'], 'issuer' | 'subject' | 'claimed'>>
type Nullable<T> = { [Key in keyof T]: T[Key] | null }

export function toAdministrator(row: Row): Administrator {
  const { name, role, password_hash: passwordHash, is_locked, created, changed: version } = row
  const { issuer, subject, claimed } = row
  const identity =
    issuer === null || subject === null ? undefined : { issuer, subject, claimed: JSON.parse(claimed ?? '[]') }
  return { name, role, passwordHash, isLocked: is_locked === 1, created, version, identity }
}

export async function endSessionsOf(
  transaction: DatabaseTransaction,
  administrator: string,
  butThis = '',
): Promise<void> {
  const sessions = transaction.deleteFrom('ig_admin_session').where('administrator', '=', administrator)
  await sessions.where('digest', '<>', butThis).execute()
}

export async function endTokensOf(
  transaction: DatabaseTransaction,
  administrator: string,
  revoked: number,
): Promise<void> {
  await transaction
    .updateTable('ig_admin_token')
    .set({ revoked })
    .where('administrator', '=', administrator)
    .where('revoked', 'is', null)
    .execute()
}

export async function insertAdministrator(
  transaction: DatabaseTransaction,
  administrator: NewAdministrator,
): Promise<boolean> {
  const { name, role, passwordHash, created } = administrator
  const changed = await nextEpoch(transaction, 'administrators') // one at a time, so no name comes between
  if (hasName(await transaction.selectFrom('ig_administrator').select('name').execute(), name)) return false
  await transaction
    .insertInto('ig_administrator')
    .values({ name, role, password_hash: passwordHash, is_locked: 0, created, changed })
    .execute()
  return true
}

/** Without regard to case: two names that differ only there cannot be told apart in the audit. */
export function hasName(administrators: readonly { readonly name: string }[], wanted: string): boolean {
  return administrators.some(({ name }) => name.toLowerCase() === wanted.toLowerCase())
}
