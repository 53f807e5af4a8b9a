/** Administrators, their sessions and tokens, and invitations as rows (specification 18.5 to 18.12). */
import type { Database } from '../database.ts'
import { nextEpoch } from '../epoch.ts'
import type { Tables } from '../tables.ts'
import { type DatabaseTransaction, inTransaction } from '../transaction.ts'
import {
  administratorsOf,
  endSessionsOf,
  endTokensOf,
  insertAdministrator,
  toAdministrator,
} from './administrator-rows.ts'
import { openAudit } from './audit.ts'
import {
  type AdministrationStore,
  type AdministratorStore,
  type ApiToken,
  type InvitationStore,
  LastAdministrator,
  type SessionStore,
  type StoredInvitation,
  type TokenStore,
} from './contract.ts'
import { openDrafts } from './drafts.ts'
import { openFactors } from './factors.ts'
import { openIdentities } from './identities.ts'

export function openAdministrationStore(database: Database): AdministrationStore {
  return {
    administrators: openAdministrators(database),
    identities: openIdentities(database),
    factors: openFactors(database),
    sessions: openSessions(database),
    tokens: openTokens(database),
    invitations: openInvitations(database),
    drafts: openDrafts(database),
    audit: openAudit(database),
  }
}

function openAdministrators(database: Database): AdministratorStore {
  const rows = () => administratorsOf(database.reader)
  return {
    list: async () => (await rows().orderBy('name').execute()).map(toAdministrator),
    async find(name) {
      const row = await rows().where('name', '=', name).executeTakeFirst()
      return row && toAdministrator(row)
    },
    add: (administrator) =>
      inTransaction(database, async (transaction) => {
        if (!(await insertAdministrator(transaction, administrator))) return false
        await transaction.deleteFrom('ig_admin_invitation').execute() // the link is for the first one
        return true
      }),
    change: (name, { role, passwordHash, isLocked, endAccess, endTokens, onlySession }, expectedVersion) =>
      inTransaction(database, async (transaction) => {
        const changed = await nextEpoch(transaction, 'administrators') // one at a time: the last one must stay
        const values = {
          ...(role !== undefined && { role }),
          ...(passwordHash !== undefined && { password_hash: passwordHash }),
          ...(isLocked !== undefined && { is_locked: isLocked ? (1 as const) : (0 as const) }),
          changed,
        }
        const own = administratorsOf(transaction).where('name', '=', name)
        const found = await own.executeTakeFirst()
        if (!found) return false
        const { role: wasRole, isLocked: wasLocked } = toAdministrator(found)
        const before = { role: wasRole, isLocked: wasLocked }
        let update = transaction.updateTable('ig_administrator').set(values).where('name', '=', name)
        if (expectedVersion !== undefined) update = update.where('changed', '=', expectedVersion)
        if ((await update.executeTakeFirst()).numUpdatedRows === 0n) return false
        const left = await transaction
          .selectFrom('ig_administrator')
          .select('name')
          .where('role', '=', 'administrator')
          .where('is_locked', '=', 0)
          .limit(1)
          .executeTakeFirst()
        if (!left && wasRole === 'administrator' && !wasLocked)
          throw new LastAdministrator(`${name} is the last administrator`)
        if (endAccess !== undefined || onlySession !== undefined) await endSessionsOf(transaction, name, onlySession)
        const revoked = endAccess ?? endTokens
        if (revoked !== undefined) await endTokensOf(transaction, name, revoked)
        return { before, after: { role: role ?? wasRole, isLocked: isLocked ?? wasLocked } }
      }),
  }
}

function openSessions(database: Database): SessionStore {
  const write = (work: (transaction: DatabaseTransaction) => Promise<unknown>) =>
    inTransaction(database, async (transaction) => {
      await work(transaction)
      return true as const
    })
  return {
    add: (session, { passwordHash }) =>
      inTransaction(database, async (transaction) => {
        await nextEpoch(transaction, 'administrators') // before or after a new password, never concurrently
        const own = transaction.selectFrom('ig_administrator').select('name').where('name', '=', session.administrator)
        if (!(await own.where('password_hash', '=', passwordHash).executeTakeFirst())) return false
        const factor = transaction.selectFrom('ig_admin_factor').select('id').limit(1)
        if (await factor.where('administrator', '=', session.administrator).executeTakeFirst()) return false
        await transaction.insertInto('ig_admin_session').values(session).execute()
        return true
      }),
    find: (digest) =>
      database.reader.selectFrom('ig_admin_session').selectAll().where('digest', '=', digest).executeTakeFirst(),
    touch: (digest, used) =>
      write((transaction) =>
        transaction.updateTable('ig_admin_session').set({ used }).where('digest', '=', digest).execute(),
      ),
    remove: (digest) =>
      inTransaction(database, async (transaction) => {
        const deletion = transaction.deleteFrom('ig_admin_session').where('digest', '=', digest)
        return (await deletion.executeTakeFirst()).numDeletedRows > 0n
      }),
    removeExpired: (now) =>
      write((transaction) => transaction.deleteFrom('ig_admin_session').where('expires', '<=', now).execute()),
  }
}

function openTokens(database: Database): TokenStore {
  const rows = () => database.reader.selectFrom('ig_admin_token').selectAll()
  return {
    list: async () => (await rows().orderBy('created', 'desc').orderBy('id').execute()).map(toToken),
    add: (token, session) =>
      inTransaction(database, async (transaction) => {
        await nextEpoch(transaction, 'administrators')
        const asking = transaction
          .selectFrom('ig_admin_session')
          .select('digest')
          .where('digest', '=', session ?? '')
        if (session !== undefined && !(await asking.executeTakeFirst())) return false
        await transaction
          .insertInto('ig_admin_token')
          .values({ ...token, revoked: null, used: null })
          .execute()
        return true
      }),
    async findByDigest(digest) {
      const row = await rows().where('digest', '=', digest).executeTakeFirst()
      return row && toToken(row)
    },
    touch: (digest, used) =>
      inTransaction(database, async (transaction) => {
        await transaction.updateTable('ig_admin_token').set({ used }).where('digest', '=', digest).execute()
        return true as const
      }),
    revoke: (id, revoked) =>
      inTransaction(database, async (transaction) => {
        const update = transaction
          .updateTable('ig_admin_token')
          .set({ revoked })
          .where('id', '=', id)
          .where('revoked', 'is', null)
        return (await update.executeTakeFirst()).numUpdatedRows > 0n
      }),
  }
}

function openInvitations(database: Database): InvitationStore {
  return {
    ensure: (invitation, now) =>
      inTransaction(database, async (transaction) => {
        await nextEpoch(transaction, 'administrators') // one at a time
        if (await isAdministered(transaction)) return undefined
        const valid = transaction.selectFrom('ig_admin_invitation').selectAll().where('expires', '>', now)
        const found = await valid.orderBy('expires', 'desc').limit(1).executeTakeFirst()
        if (!found) await replaceInvitations(transaction, invitation)
        return found ?? invitation
      }),
    replace: (invitation) =>
      inTransaction(database, async (transaction) => {
        await nextEpoch(transaction, 'administrators')
        if (await isAdministered(transaction)) return false
        await replaceInvitations(transaction, invitation)
        return true
      }),
    async isOpen(digest, now) {
      const found = database.reader.selectFrom('ig_admin_invitation').select('expires').where('digest', '=', digest)
      return ((await found.executeTakeFirst())?.expires ?? 0) > now
    },
    accept: (digest, administrator) =>
      inTransaction(database, async (transaction) => {
        await nextEpoch(transaction, 'administrators')
        if (await isAdministered(transaction)) return false
        if (!(await insertAdministrator(transaction, administrator))) return false
        const used = transaction
          .deleteFrom('ig_admin_invitation')
          .where('digest', '=', digest)
          .where('expires', '>', administrator.created)
        if ((await used.executeTakeFirst()).numDeletedRows === 0n) throw new NoInvitation()
        await transaction.deleteFrom('ig_admin_invitation').execute()
        return true
      }).catch((error) => {
        if (error instanceof NoInvitation) return false
        throw error
      }),
  }
}

async function isAdministered(transaction: DatabaseTransaction): Promise<boolean> {
  const one = transaction.selectFrom('ig_administrator').select('name').limit(1)
  return (await one.executeTakeFirst()) !== undefined
}

async function replaceInvitations(transaction: DatabaseTransaction, invitation: StoredInvitation): Promise<void> {
  await transaction.deleteFrom('ig_admin_invitation').execute()
  await transaction.insertInto('ig_admin_invitation').values(invitation).execute()
}

class NoInvitation extends Error {}

function toToken({ revoked, used, ...rest }: Tables['ig_admin_token']): ApiToken {
  return { ...rest, revoked: revoked ?? undefined, used: used ?? undefined }
}
