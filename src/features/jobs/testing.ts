/** A run of a job in a test, without its schedule (specification 24.13). */
import { suggest } from '../../base/nearest.ts'
import type { Gateway } from '../../gateway.ts'
import type { JobOutcome, Observation } from '../../model/observation.ts'
import { listLogEntries, type TestLogEntry } from '../../model/test-log.ts'
import { beginRun } from './begin-run.ts'
import { openJobs } from './rows.ts'
import { runJob } from './run-job.ts'
import { compileJobs } from './scheduled-jobs.ts'

/** How a run of a job ended. */
export interface TestJobRun {
  /** A GUID, as the job reads it from its context. */
  readonly runId: string
  /** `succeeded`, or why not. */
  readonly outcome: JobOutcome
  /** The error that the job threw, or the reason why it was ended; undefined if it succeeded. */
  readonly error: unknown
  /** Log entries of this run. */
  readonly log: readonly TestLogEntry[]
}

export interface TestJobs {
  /**
   * Runs a job once and resolves when it has ended, however it ends. Its schedule and its retries have no effect in tests.
   */
  runJob(name: string): Promise<TestJobRun>
}

export function testJobs(gateway: Gateway, observations: readonly Observation[]): TestJobs {
  return { runJob: (name) => runTestJob(name, gateway, observations) }
}

async function runTestJob(name: string, gateway: Gateway, observations: readonly Observation[]): Promise<TestJobRun> {
  const jobs = compileJobs(gateway.catalog)
  const rows = openJobs(gateway.store.databases)
  const job = jobs.get(name)
  if (!job) throw new TypeError(`There is no job ${name}${suggest(name, jobs.keys()) || '.'}`)
  const due = gateway.now()
  await rows.plan(name, { schedule: job.plan, sequence: undefined, last: due })
  const row = (await rows.list()).find((each) => each.name === name)
  const run = row && (await beginRun(job, row, { due, attempt: 1, last: row.last }, gateway))
  if (!run) throw new Error(`The job ${name} runs already`)
  const stopping = new AbortController().signal
  const { outcome, error, transaction } = await runJob(run, gateway, { stopping, mask: (reason) => reason })
  return { runId: transaction.id, outcome, error, log: listLogEntries(observations, transaction) }
}
