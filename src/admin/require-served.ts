/** Waits until every process serves an activated revision, otherwise rolls it back (specification 13.17, 13.18). */

import type { ActionParts, Input } from '../actions/action.ts'
import { AdminProblem } from '../actions/problem-details.ts'
import type { Activation } from '../configuration/revision.ts'
import { confirmActivation, revertActivation, revertedNote } from '../project/confirm-activation.ts'

/** Seconds, unless the caller gives them: a person and a connection wait. */
const patience = 10
/** Milliseconds: processes served the former revision a moment ago. */
const backWithin = 5_000

/**
 * @param before the revision to roll back to; undefined: this is the first
 * @param wait number of seconds to wait; false: do not wait
 * @returns how many processes serve it; undefined if it did not wait
 * @throws AdminProblem `notServed`, or `storeAway` if it is active and nothing more is known
 */
export async function requireServed(
  activation: Activation,
  before: number | undefined,
  wait: boolean | number,
  { parts, audited }: Pick<Input<unknown, unknown, unknown>, 'parts' | 'audited'>,
): Promise<number | undefined> {
  if (wait === false) return undefined
  const limit = (wait === true ? patience : wait) * 1000
  const { revision } = activation
  const { store, now } = parts
  const options = { store, limit, now, onWaiting: tellWaiting(parts) }
  const { serving, problems, overtakenBy, isUnknown } = await confirmActivation(activation, options)
  if (overtakenBy !== undefined) {
    const detail = `Revision ${revision} was activated, but revision ${overtakenBy} was activated after it and stays active.`
    throw new AdminProblem('notServed', detail)
  }
  if (problems.length === 0) return serving
  if (isUnknown) {
    const detail = `Revision ${revision} is active, but whether every process serves it is unknown.`
    throw new AdminProblem('storeAway', detail, { problems })
  }
  const rest = await activateAgain()
  throw new AdminProblem('notServed', `Revision ${revision} is not served by every process. ${rest}`, { problems })

  async function activateAgain(): Promise<string> {
    if (before === undefined) return 'It stays active: there is no revision before it.'
    const { revisions } = audited({
      action: 'activateRevision',
      subject: `revision ${before}`,
      before: { revision },
      after: { revision: before, note: revertedNote(revision), problems: [...problems] },
    })
    const taken = await revertActivation(activation, before, revisions, now())
    if (!taken) return 'Another revision was activated after it and stays active.'
    const back = await confirmActivation(taken, { ...options, limit: Math.min(limit, backWithin) })
    return back.problems.length === 0
      ? `Revision ${before} is active again.`
      : `Revision ${before} is active again, but not every process serves it.`
  }
}

/** Milliseconds before progress is shown. */
const quiet = 1_000

function tellWaiting({ tell }: Pick<ActionParts, 'tell'>): (processes: readonly string[]) => void {
  const since = performance.now()
  let last = ''
  return (processes) => {
    const line = processes.join(', ')
    if (line === last || performance.now() - since < quiet) return
    last = line
    tell?.(`Waiting for ${line}`)
  }
}
