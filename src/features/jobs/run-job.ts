/**
 * One run of a job (specification 24.4 to 24.8): one instance of its class, one transaction and one time limit. Its writes
 * are committed together with the record of the run, if this process still holds the lease.
 */
import { boundError } from '../../base/bound-error.ts'
import type { JobOutcome, JobRun } from '../../model/observation.ts'
import { asError } from '../../steps/handler/failure.ts'
import { findRetry } from './decide.ts'
import { openJobs } from './rows.ts'
import { type BegunRun, type JobParts, RunContext } from './run-context.ts'
import { RunCut } from './run-cut.ts'
import { watchRun } from './watch-run.ts'

export interface RunOptions {
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal
  /** The reason of a failure without secrets, for the row of the job. */
  mask(reason: string, error: Error): string
}

/** Never rejects. The run is observed before the promise resolves. */
export async function runJob(run: BegunRun, parts: JobParts, options: RunOptions): Promise<JobRun> {
  const context = new RunContext(run, parts)
  const watch = watchRun(run, context, parts, options.stopping)
  watch.cut.catch((reason) => context.abort(reason))
  let ended: JobRun
  try {
    await Promise.race([runJobHandler(run, context), watch.cut])
    watch.finish()
    await context.commit()
    await deleteCaches(run, context, parts)
    ended = describe(run, parts, 'succeeded', 'succeeded')
  } catch (thrown) {
    await context.rollback()
    ended = await endFailed(run, parts, options, boundError(asError(thrown)))
  } finally {
    watch.close()
    context.close()
  }
  parts.observe(ended)
  return ended
}

async function runJobHandler({ job }: BegunRun, context: RunContext): Promise<void> {
  await new job.handler().run(context)
}

async function endFailed(run: BegunRun, parts: JobParts, { mask }: RunOptions, error: Error): Promise<JobRun> {
  const { job, lease, attempt } = run
  const { store } = parts
  const cause = error instanceof RunCut ? error.outcome : 'failed'
  const now = parts.now() + store.clockOffset
  const retry = findRetry(job, cause, attempt, now)
  const reason = error instanceof RunCut ? error.message : `${error.name}: ${error.message}`
  const row = { outcome: cause, reason: mask(reason, error).slice(0, maxReason), ended: now, retry }
  // If the store is away, the lease expires, and another process repeats the run.
  const isRecorded =
    cause === 'lost'
      ? false
      : await openJobs(store.databases)
          .end(lease, row)
          .catch(() => undefined)
  const outcome = isRecorded === false ? 'lost' : cause // another process has taken over the job
  const again = retry !== null && isRecorded ? `; it is repeated at ${new Date(retry).toISOString()}` : ''
  return describe(
    run,
    parts,
    outcome,
    `${verbs[outcome]}: ${reason}${again}`,
    again === '' ? 'error' : 'warning',
    error,
  )
}

const maxReason = 2000

const verbs: Readonly<Record<JobOutcome, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  timedOut: 'was ended',
  lost: 'was rolled back',
  stopped: 'was stopped',
}

function describe(
  { job, transaction, attempt }: BegunRun,
  { now }: JobParts,
  outcome: JobOutcome,
  what: string,
  level: JobRun['level'] = 'information',
  error?: Error,
): JobRun {
  const message = `The job ${job.name} ${what}.`
  return { kind: 'job', level, transaction, outcome, attempt, ended: now(), message, ...(error && { error }) }
}

/** The commit stays, even if the cache fails. */
async function deleteCaches({ transaction }: BegunRun, context: RunContext, parts: JobParts): Promise<void> {
  for (const { operationId, operator } of context.deletedCaches) {
    await parts.restCache.deleteOperation(operationId, operator).catch((error) => {
      const message = `The cached responses of ${operationId} could not be deleted`
      parts.observe({ kind: 'note', level: 'error', transaction, message, error })
    })
  }
}
