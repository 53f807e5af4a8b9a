/** What roles below administrator see of administrators in the audit log (specification 18.8). */
import type { AuditEntry } from '../store/administration/contract.ts'

/** Actions on administrators, their sessions and tokens: each administrator sees their own entries. */
export const actionsOnPeople = [
  'createSession',
  'deleteSession',
  'acceptInvitation',
  'inviteAdministrator',
  'changeOwnPassword',
  'createAdministrator',
  'changeAdministrator',
  'setAdministratorPassword',
  'createToken',
  'revokeToken',
] as const

/** Drafts and revisions show their author, but not address and token. */
export function withoutPerson(entry: AuditEntry): AuditEntry {
  return { ...entry, via: entry.via.replace(/^token .*/su, 'token'), address: '' }
}
