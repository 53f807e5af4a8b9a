/** Operations that take a session token and would hand out another one (specification 27.10). */
import type { Handlers, ListedReference } from '../configuration/list-references.ts'
import type { Problem } from '../model/problem.ts'
import { handsOutTokens } from '../model/session-token-handler.ts'
import { verificationOf } from '../model/verification.ts'

/** @param handlers those that are not loaded are not looked at */
export function findTokenRenewals(references: readonly ListedReference[], handlers: Handlers): readonly Problem[] {
  return references.flatMap(({ key, place, verification }) => {
    const handler = handlers.get(key)
    if (verificationOf(verification).issuedBy !== 'gateway' || !handler || !handsOutTokens(handler)) return []
    const message = `names a SessionTokenHandler, but the operation has the verification ${verification}: a stolen token could be renewed without end. Set verification to Basic, OAuth2 or Certificate`
    return [{ path: place, message }]
  })
}
