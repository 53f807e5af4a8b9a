/** Administrators who sign in with an identity provider, as rows (specification 34.2 to 34.4). */
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'
import { nextEpoch } from '../epoch.ts'
import type { Tables } from '../tables.ts'
import { inTransaction } from '../transaction.ts'
import {
  administratorsOf,
  endSessionsOf,
  endTokensOf,
  insertAdministrator,
  toAdministrator,
} from './administrator-rows.ts'
import type { IdentityStore } from './contract.ts'

export async function createIdentities(database: Kysely<Tables>, { text }: ColumnTypes): Promise<void> {
  await sql`create table ig_admin_identity (
    administrator ${text} primary key references ig_administrator (name), issuer ${text} not null,
    subject ${text} not null, claimed text not null,
    constraint ig_admin_identity_subject unique (issuer, subject))`.execute(database)
}

export function openIdentities(database: Database): IdentityStore {
  const find = async (reader: Kysely<Tables>, { issuer, subject }: { issuer: string; subject: string }) => {
    const row = await administratorsOf(reader)
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst()
    return row && toAdministrator(row)
  }
  return {
    find: (identity) => find(database.reader, identity),
    admit: ({ identity, ...made }, session) =>
      inTransaction(database, async (transaction) => {
        const changed = await nextEpoch(transaction, 'administrators')
        const { issuer, subject } = identity
        const claimed = JSON.stringify(identity.claimed)
        const known = await find(transaction, identity)
        if (known?.isLocked) return false
        const { name } = known ?? made
        if (!known) {
          if (!(await insertAdministrator(transaction, made))) return false
          const values = { administrator: name, issuer, subject, claimed }
          await transaction.insertInto('ig_admin_identity').values(values).execute()
        } else {
          // The provider decides, even about the last administrator
          if (known.role !== made.role)
            await transaction
              .updateTable('ig_administrator')
              .set({ role: made.role, changed })
              .where('name', '=', name)
              .execute()
          await transaction
            .updateTable('ig_admin_identity')
            .set({ claimed })
            .where('administrator', '=', name)
            .execute()
        }
        if (made.role === 'administrator') await transaction.deleteFrom('ig_admin_invitation').execute()
        await transaction
          .insertInto('ig_admin_session')
          .values({ ...session, administrator: name })
          .execute()
        return { name, before: known && { role: known.role }, after: { role: made.role } }
      }),
    dismiss: (identity, time) =>
      inTransaction(database, async (transaction) => {
        await nextEpoch(transaction, 'administrators')
        const known = await find(transaction, identity)
        if (!known) return false
        await transaction
          .updateTable('ig_admin_identity')
          .set({ claimed: '[]' })
          .where('administrator', '=', known.name)
          .execute()
        await endSessionsOf(transaction, known.name)
        await endTokensOf(transaction, known.name, time)
        return true
      }),
  }
}
