/** Takes the lease of a job and begins its run (specification 24.3). */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { openRandomTexts } from '../../base/random-text.ts'
import type { JobRow, NewRun } from './contract.ts'
import { openJobs } from './rows.ts'
import type { BegunRun, JobParts } from './run-context.ts'
import type { ScheduledJob } from './scheduled-jobs.ts'
import { leaseTime } from './tables.ts'

/** @returns undefined if another process was faster */
export async function beginRun(
  job: ScheduledJob,
  row: Pick<JobRow, 'name' | 'version'>,
  { due, attempt, last }: Pick<NewRun, 'due' | 'attempt' | 'last'>,
  { store, catalog, now }: JobParts,
): Promise<BegunRun | undefined> {
  const token = randomUUID()
  const run = randomUUID()
  const begun = now()
  const plan = { token, run, instance, begun: begun + store.clockOffset, due, attempt, last, lease: leaseTime }
  if (!(await openJobs(store.databases).begin(row, plan))) return undefined
  const identity = { id: run, begun, sessionId: '', isSecure: false, ecid: randomTrace(), rid: '0' }
  const transaction = { ...identity, revision: catalog.revision, job: job.name }
  return { job, lease: { name: job.name, token }, transaction, due, attempt }
}

/** The process of a run. */
const instance = `${hostname()} ${process.pid}`
const randomTrace = openRandomTexts(16, 'hex')
