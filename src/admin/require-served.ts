/** Waits until every process serves an activated revision, otherwise rolls it back (specification 13.17, 13.18). */

import { AdminProblem } from '../actions/problem-details.ts'
import type { Activation } from '../configuration/revision.ts'
import { confirmActivation, revertActivation } from '../project/confirm-activation.ts'
import type { AdminParts } from './parts.ts'
import type { Input } from './route.ts'

/** Seconds, unless the caller gives them: a person and a connection wait. */
const patience = 10

/**
 * @param before the revision to roll back to
 * @param wait number of seconds to wait; false: do not wait
 * @throws AdminProblem `notServed`, or `storeAway` if it is active and nothing more is known
 */
export async function requireServed(
  activation: Activation,
  before: number,
  wait: boolean | number,
  { parts, audited }: { readonly parts: AdminParts; readonly audited: Input<unknown, unknown, unknown>['audited'] },
): Promise<void> {
  if (wait === false) return
  const limit = (wait === true ? patience : wait) * 1000
  const { revision } = activation
  const { store, now } = parts
  const { problems, overtakenBy, isUnknown } = await confirmActivation(activation, { store, limit, now })
  if (overtakenBy !== undefined) {
    const detail = `Revision ${revision} was activated, but revision ${overtakenBy} was activated after it and stays active.`
    throw new AdminProblem('notServed', detail)
  }
  if (problems.length === 0) return
  if (isUnknown) {
    const detail = `Revision ${revision} is active, but whether every process serves it is unknown.`
    throw new AdminProblem('storeAway', detail, { problems })
  }
  const note = `revision ${revision} is not served everywhere`
  const { revisions } = audited({
    subject: `revision ${before}`,
    before: { revision },
    after: { revision: before, note, problems: [...problems] },
  })
  const taken = await revertActivation(activation, before, revisions, now())
  const rest = taken
    ? `Revision ${before} is active again.`
    : 'Another revision was activated after it and stays active.'
  throw new AdminProblem('notServed', `Revision ${revision} is not served by every process. ${rest}`, { problems })
}
