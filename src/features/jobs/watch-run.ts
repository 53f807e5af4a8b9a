/** Ends a run at its time limit, when its lease is lost, and when the process stops (specification 24.5 to 24.7). */
import { setInterval, setTimeout } from '../../base/timers.ts'
import { openJobs } from './rows.ts'
import type { BegunRun, JobParts, RunContext } from './run-context.ts'
import { RunCut } from './run-cut.ts'
import { leaseTime } from './tables.ts'

export interface RunWatch {
  /** Rejects with a RunCut. */
  readonly cut: Promise<never>
  /** Called when the job has returned: from now on only a lost lease ends the run. */
  finish(): void
  close(): void
}

/** Milliseconds, so that two renewals may fail. */
const renewEvery = leaseTime / 3

export function watchRun(
  { job, lease }: BegunRun,
  context: Pick<RunContext, 'touch'>,
  { store }: JobParts,
  stopping: AbortSignal,
): RunWatch {
  const { promise: cut, reject } = Promise.withResolvers<never>()
  cut.catch(() => {})
  const end = (outcome: RunCut['outcome'], message: string) => reject(new RunCut(outcome, message))
  const onStop = () => end('stopped', 'The gateway stops')
  const limit = setTimeout(end, job.timeLimit, 'timedOut', `The job exceeded its time of ${job.timeLimit} ms`)
  if (stopping.aborted) onStop()
  stopping.addEventListener('abort', onStop)
  let held = performance.now()
  let isRenewing = false
  const renew = async () => {
    const asked = performance.now()
    const isHeld = await openJobs(store.databases)
      .renew(lease)
      .catch(() => undefined) // unknown: the next renewal may succeed
    if (isHeld) {
      held = asked
      await context.touch()
    }
    // On SQLite a renewal waits for the job's own transaction, and as long as that lasts no process can take it over.
    const isExpired = store.databases.main.columnTypes.dbType === 'POSTGRESQL' && performance.now() - held > leaseTime
    if (isHeld === false || isExpired) end('lost', 'The process lost the lease of the job')
  }
  const renewing = setInterval(() => {
    if (isRenewing) return
    isRenewing = true
    void renew().finally(() => (isRenewing = false))
  }, renewEvery)
  const finish = () => {
    clearTimeout(limit)
    stopping.removeEventListener('abort', onStop)
  }
  return {
    cut,
    finish,
    close() {
      finish()
      clearInterval(renewing)
    },
  }
}
