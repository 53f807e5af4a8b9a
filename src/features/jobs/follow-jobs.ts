/**
 * Reads the rows of the jobs once a second and begins runs that are due or requested (specification 24.3, 24.6, 24.10).
 * Every serving process does this; the first one to take the lease of a job runs it.
 */

import { pollEvery } from '../../base/poll-every.ts'
import { setTimeout } from '../../base/timers.ts'
import type { JobRun, Observe } from '../../model/observation.ts'
import { Refusal } from '../../model/refusal.ts'
import type { Condition } from '../../steps/built-in/health.ts'
import { beginRun } from './begin-run.ts'
import type { JobRow } from './contract.ts'
import { type Decision, decide } from './decide.ts'
import { openJobs } from './rows.ts'
import type { JobParts } from './run-context.ts'
import { type RunOptions, runJob } from './run-job.ts'
import { compileJobs, type ScheduledJob } from './scheduled-jobs.ts'

export interface JobFollower {
  /** Polls immediately. Resolves when all jobs that are due have started. */
  poll(): Promise<void>
  /** Resolves when the runs of this process have ended. */
  settled(): Promise<unknown>
  /** Begins no more runs, and stops those that exceed the grace time, in milliseconds. */
  stop(grace: number): Promise<void>
}

export interface FollowJobsOptions extends Pick<RunOptions, 'mask'> {
  /** Milliseconds between two polls. */
  readonly every?: number
}

interface FollowingParts extends JobParts {
  readonly condition: Pick<Condition, 'activation' | 'revisionRefusal' | 'isStoreOutage' | 'isStopping'>
}

/** Runs at a time in one process: each needs one of the connections of handlers. */
const maxRuns = 4

export function followJobs(gateway: FollowingParts, { mask, every = 1000 }: FollowJobsOptions): JobFollower {
  const { store, condition, observe } = gateway
  const rows = openJobs(store.databases)
  const stopping = new AbortController()
  const cutting = new AbortController()
  const runs = new Map<string, Promise<JobRun>>()
  let compiled = compile(gateway.catalog)
  let hasRows = true
  let isFailing = false

  const begin = async (job: ScheduledJob, row: JobRow, decision: Decision & { readonly kind: 'begin' }) => {
    if (runs.has(job.name) || runs.size >= maxRuns) return
    const run = await beginRun(job, row, decision, gateway)
    if (!run) return
    if (row.hasBegun) reportLost(observe, row, decision.attempt > 1 ? 'It is repeated.' : 'The next one begins.')
    const running = runJob(run, gateway, { stopping: cutting.signal, mask })
    runs.set(job.name, running)
    void running.finally(() => runs.delete(job.name))
  }
  const consider = async (job: ScheduledJob, row: JobRow, now: number) => {
    const decision = decide(job, row, now)
    if (decision?.kind === 'begin') return begin(job, row, decision)
    if (decision?.kind === 'skip' && (await rows.skip(row, decision.due))) reportSkipped(observe, row, decision.due)
    if (decision?.kind !== 'giveUp') return
    const end = { outcome: 'lost', reason: 'Its process ended or was paused', ended: now, retry: null } as const
    if (await rows.giveUp(row, end)) reportLost(observe, row, 'It is not repeated again.')
  }
  const pollAll = async () => {
    if (compiled.of !== gateway.catalog) compiled = compile(gateway.catalog)
    const { jobs } = compiled
    if (condition.revisionRefusal !== undefined || condition.isStoreOutage || condition.isStopping) return
    if (jobs.size === 0 && !hasRows) return
    const sequence = condition.activation?.sequence
    const known = new Map((await rows.list()).map((row) => [row.name, row]))
    hasRows = known.size > 0
    const now = gateway.now() + store.clockOffset
    const pollJob = async (job: ScheduledJob) => {
      const row = known.get(job.name)
      if (row?.schedule === job.plan) await consider(job, row, now)
      else if ((row?.sequence ?? -1) <= (sequence ?? Number.MAX_SAFE_INTEGER))
        await rows.plan(job.name, { schedule: job.plan, sequence, last: now })
    }
    for (const name of known.keys()) if (!jobs.has(name)) await rows.forget(name, sequence)
    const failures: unknown[] = [] // one job's row may be locked, which must not delay the others
    for (const job of jobs.values())
      if (!stopping.signal.aborted) await pollJob(job).catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  const poll = async () => {
    try {
      await pollAll()
      isFailing = false
    } catch (error) {
      if (error instanceof Refusal && error.code === 'overloaded') return // another transaction holds the writer, or the row
      const message = 'The jobs could not be looked at; the gateway will retry.'
      if (!isFailing) observe({ kind: 'event', level: 'warning', name: 'jobsUnreadable', message, error })
      isFailing = true
    }
  }
  const stopPolling = pollEvery({ every, work: poll })
  return {
    poll,
    settled: () => Promise.all(runs.values()),
    async stop(grace) {
      stopping.abort()
      const timer = setTimeout(() => cutting.abort(), grace)
      await stopPolling()
      await Promise.all(runs.values())
      clearTimeout(timer)
    },
  }
}

/** Once for each configuration. */
function compile(catalog: JobParts['catalog']) {
  return { of: catalog, jobs: compileJobs(catalog) }
}

function reportSkipped(observe: Observe, { name, run, instance }: JobRow, due: number): void {
  const time = new Date(due).toISOString()
  const message = `The job ${name} was skipped at ${time}: its run ${run} on ${instance} had not ended.`
  observe({ kind: 'event', level: 'warning', name: 'jobSkipped', message })
}

function reportLost(observe: Observe, { name, run, instance }: JobRow, what: string): void {
  const message = `The run ${run} of the job ${name} is lost: its process ${instance} ended or was paused. ${what}`
  observe({ kind: 'event', level: 'error', name: 'jobLost', message })
}
