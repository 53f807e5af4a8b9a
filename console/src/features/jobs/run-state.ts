/** The state of a job, in words and as the colour of its badge. */
import type { Schemas } from '../../api/client.ts'
import { good } from '../../theme.ts'

export type JobRun = Schemas['JobRun']

export function stateOf({ isRunning, requested, outcome, runId }: JobRun): string {
  if (isRunning) return 'running'
  if (requested !== null) return 'requested'
  return outcome ?? (runId === null ? 'never ran' : 'lost')
}

export function colourOf({ isRunning, outcome }: JobRun): string {
  if (isRunning || outcome === null) return 'blue'
  return outcome === 'succeeded' ? good : 'failed'
}
