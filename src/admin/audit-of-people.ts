/** What the audit tells of the people who administer to those below the role administrator (specification 18.8). */
import type { AuditEntry } from '../store/administration/contract.ts'

/** What is done to the people who administer, and by them with their sessions and tokens: each sees their own. */
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

/** Drafts and revisions name their author, but not from where and with which token. */
export function withoutPerson(entry: AuditEntry): AuditEntry {
  return { ...entry, via: entry.via.replace(/^token .*/su, 'token'), address: '' }
}
