/** A run that the gateway ended, with its outcome (specification 24.5 to 24.7). */
import type { JobOutcome } from '../../model/observation.ts'

export class RunCut extends Error {
  override readonly name = 'RunCut'
  readonly outcome: JobOutcome

  constructor(outcome: JobOutcome, message: string) {
    super(message)
    this.outcome = outcome
  }
}
