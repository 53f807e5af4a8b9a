/** What roles below administrator see of administrators in the audit log (specification 18.8). */
import type { AuditEntry } from '../store/administration/contract.ts'
import { administratorRoutes } from './routes/administrators.ts'
import { providerRoutes, refuseAction } from './routes/provider.ts'
import { secondFactorRoutes } from './routes/second-factors.ts'
import { sessionRoutes } from './routes/session.ts'

/** Actions on administrators, their sessions and tokens: each administrator sees their own entries. */
export const actionsOnPeople: readonly string[] = [
  ...[...sessionRoutes, ...providerRoutes, ...secondFactorRoutes, ...administratorRoutes]
    .filter(({ done }) => done !== undefined)
    .map(({ operationId }) => operationId),
  'inviteAdministrator', // of the command line
  refuseAction,
]

/** Drafts and revisions show their author, but not address and token. */
export function withoutPerson(entry: AuditEntry): AuditEntry {
  return { ...entry, via: entry.via.replace(/^token .*/su, 'token'), address: '' }
}
