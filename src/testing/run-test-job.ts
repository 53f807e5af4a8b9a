/** A run of a job in a test, without its schedule (specification 24.13). */
import { suggest } from '../base/nearest.ts'
import type { Gateway } from '../gateway.ts'
import { beginRun } from '../jobs/begin-run.ts'
import { runJob } from '../jobs/run-job.ts'
import type { JobOutcome } from '../model/job.ts'
import type { Note, Observation } from '../model/observation.ts'

export interface TestJobRun {
  readonly runId: string
  readonly outcome: JobOutcome
  /** The error that the job threw, or the reason why it was ended; undefined if it succeeded. */
  readonly error: unknown
  /** Log entries of the job about this run. */
  readonly log: readonly Note[]
}

export async function runTestJob(
  name: string,
  gateway: Gateway,
  observations: readonly Observation[],
): Promise<TestJobRun> {
  const { jobs } = gateway.catalog
  const job = jobs.get(name)
  if (!job) throw new TypeError(`There is no job ${name}${suggest(name, jobs.keys()) || '.'}`)
  const due = gateway.now()
  await gateway.store.jobs.plan(name, { schedule: job.plan, sequence: undefined, last: due })
  const row = (await gateway.store.jobs.list()).find((each) => each.name === name)
  const run = row && (await beginRun(job, row, { due, attempt: 1, last: row.last }, gateway))
  if (!run) throw new Error(`The job ${name} runs already`)
  const stopping = new AbortController().signal
  const { outcome, error, transaction } = await runJob(run, gateway, { stopping, mask: (reason) => reason })
  const log = observations.filter((one): one is Note => one.kind === 'note' && one.transaction === transaction)
  return { runId: transaction.id, outcome, error, log }
}
