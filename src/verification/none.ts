/** Calls without credentials run as the default user (specification 3.5, 3.6). */
import { Refusal } from '../model/refusal.ts'
import type { Verifier } from './verifier.ts'

export const none: Verifier = {
  async verify(_call, operation, { anonymousOperatorId }, operators) {
    const operator = anonymousOperatorId === undefined ? undefined : operators.get(anonymousOperatorId)
    if (operator && !operator.isLocked) return operator
    throw none.rejected('UserName not defined in database. (158,55)', operation)
  },
  rejected: (reason) => new Refusal('permissionDenied', reason),
}
