/** What the log has of a call or of a run of a job, without the operator and other internals. */
import type { LogLevel, Observation } from './observation.ts'
import type { Transaction } from './transaction.ts'

/** An entry of the log about one call, or one run of a job. */
export interface TestLogEntry {
  /** Its severity. */
  readonly level: LogLevel
  /** Without its detail. */
  readonly message: string
  /** The detail that the handler gave to `context.log`. */
  readonly detail?: Readonly<Record<string, unknown>>
  /** What was thrown, if the entry is about an error. */
  readonly error?: unknown
}

export function listLogEntries(
  observations: readonly Observation[],
  transaction: Transaction,
): readonly TestLogEntry[] {
  return observations.flatMap((one) => {
    if (one.kind !== 'note' || one.transaction !== transaction) return []
    const { level, message, detail, error } = one
    return [{ level, message, ...(detail && { detail }), ...(error !== undefined && { error }) }]
  })
}
