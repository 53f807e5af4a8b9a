/** `--wait` of an action: asks another one until it has the end (specification 24.11, 31.1). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Action } from '../actions/action.ts'
import type { Progress, Wait } from '../actions/command-line.ts'
import { warn } from '../terminal/print.ts'
import type { Plane } from './plane.ts'

/** Milliseconds. */
const pollInterval = 250
/** Then its hint is shown. */
const maxPolls = 20

export async function awaitEnd<Input>(
  plane: Plane,
  { progress }: Wait<Input>,
  asked: Action,
  given: Input,
): Promise<NonNullable<Progress['ended']>> {
  for (let polls = 1; ; polls += 1) {
    const { body } = await plane.perform(asked, { params: {}, query: {}, body: undefined })
    const { ended, hint } = progress(body, given)
    if (ended) return ended
    if (polls === maxPolls && hint) warn(hint)
    await sleep(pollInterval)
  }
}
