/** Decides, from the row of a job, what a process does with it now (specification 24.3, 24.5, 24.6). */

import type { JobRow, NewRun } from './contract.ts'
import { findLatest } from './schedule.ts'
import type { ScheduledJob } from './scheduled-jobs.ts'

export type Decision =
  | ({ readonly kind: 'begin' } & Pick<NewRun, 'due' | 'attempt' | 'last'>)
  /** It became due while its previous run had not ended. */
  | { readonly kind: 'skip'; readonly due: number }
  /** The lease of its run has expired too often. */
  | { readonly kind: 'giveUp' }

/** Of several missed times only the latest is due. @param now of the database, in epoch milliseconds */
export function decide(job: ScheduledJob, row: JobRow, now: number): Decision | undefined {
  const { last, requested, retry, isRunning, hasBegun, begun, ended } = row
  const due = job.isActive ? findLatest(job.schedule, last, now) : undefined
  if (isRunning) return due === undefined ? undefined : { kind: 'skip', due }
  // On SQLite, a run that writes prevents other processes from recording this before it has ended.
  if (due !== undefined && isWithin(due, begun, ended)) return { kind: 'skip', due }
  if (due !== undefined) return { kind: 'begin', due, attempt: 1, last: due }
  if (requested !== null) return { kind: 'begin', due: requested, attempt: 1, last }
  const again = { kind: 'begin', due: row.due ?? now, attempt: row.attempt + 1, last } as const
  if (retry !== null) return retry <= now ? again : undefined
  if (!hasBegun) return undefined
  return isRepeated(job, 'lost', row.attempt) ? again : { kind: 'giveUp' }
}

function isWithin(due: number, begun: number | null, ended: number | null): boolean {
  return begun !== null && ended !== null && begun < due && due <= ended
}

/** Whether a run with this outcome is repeated: once more than `retries` if its process ended or was paused. */
export function isRepeated({ retries }: ScheduledJob, outcome: 'failed' | 'lost', attempt: number): boolean {
  return attempt <= (outcome === 'lost' ? retries + 1 : retries)
}

/** Milliseconds before the first retry; doubled with each attempt. */
const firstPause = 10_000

export function findRetry(job: ScheduledJob, outcome: string, attempt: number, now: number): number | null {
  const isCut = outcome === 'lost' || outcome === 'stopped'
  if (!isRepeated(job, isCut ? 'lost' : 'failed', attempt)) return null
  return isCut ? now : now + firstPause * 2 ** (attempt - 1)
}
