/** The jobs of the active configuration with their last runs, and requests to run one (specification 24.11). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import type { Progress } from '../../actions/command-line.ts'
import { notFound } from '../../actions/problem-details.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { jobOutcomes } from '../../model/observation.ts'
import { openJobs } from './rows.ts'
import { compileJobs } from './scheduled-jobs.ts'

const tag = 'Jobs'
const noHandlers = new Map() // nothing runs here
const at = time.nullable()
const jobRun = name(
  'JobRun',
  z.object({
    job: z.string(),
    schedule: z.string().describe('every 5min, or at 0 3 * * * (Europe/Berlin)'),
    isActive: z.boolean().describe('An inactive job runs only on request'),
    next: at.describe('When it is next due; null if it is inactive, or no process has planned it yet'),
    isRunning: z.boolean(),
    requested: at.describe('A request that no process has taken up yet'),
    runId: z.string().nullable().describe('Of the current or last run; the transaction id in logs and monitor'),
    instance: z.string().nullable().describe('Host and process of that run'),
    attempt: z.int().describe('How often it was tried for this time; 0 if it never ran'),
    begun: at,
    ended: at,
    outcome: z.enum(jobOutcomes).nullable().describe('Null while it runs, and if it never ran'),
    reason: z.string().nullable().describe('Why it did not succeed, without secrets'),
    retry: at.describe('When the failed run is repeated'),
  }),
)
type JobRun = z.output<typeof jobRun>

export const actions = [
  action({
    operationId: 'listJobRuns',
    tag,
    summary: 'List the jobs of the active configuration with their last run',
    method: 'GET',
    path: '/api/job-runs',
    access: 'viewer',
    commandLine: {
      verb: 'job list',
      columns: {
        JOB: 'job',
        SCHEDULE: 'schedule',
        NEXT: 'next',
        STATE: stateOf,
        'LAST RUN': 'begun',
        PROCESS: 'instance',
        REASON: 'reason',
      },
      empty: 'The configuration has no jobs.',
    },
    answer: z.object({ items: z.array(jobRun) }),
    async handle({ parts }) {
      const rows = new Map((await openJobs(parts.store.databases).list()).map((row) => [row.name, row]))
      const items = [...compileJobs({ configuration: await parts.configuration(), handlers: noHandlers }).values()].map(
        (job) => {
          const row = rows.get(job.name)
          const isPlanned = row?.schedule === job.plan
          return {
            job: job.name,
            schedule: job.schedule.text,
            isActive: job.isActive,
            next: toTimeOrNull(row && isPlanned && job.isActive ? job.schedule.next(row.last) : null),
            isRunning: row?.isRunning ?? false,
            requested: toTimeOrNull(row?.requested),
            runId: row?.run ?? null,
            instance: row?.instance ?? null,
            attempt: row?.attempt ?? 0,
            begun: toTimeOrNull(row?.begun),
            ended: toTimeOrNull(row?.ended),
            outcome: row?.outcome ?? null,
            reason: row?.reason ?? null,
            retry: toTimeOrNull(row?.retry),
          }
        },
      )
      return { body: { items } }
    },
  }),
  action({
    operationId: 'requestJobRun',
    done: 'Requested a run of a job',
    tag,
    summary: 'Request a run of a job',
    description:
      'A serving process takes it up within a second; while the job runs, after that run. Under ig dev only with --jobs.',
    method: 'POST',
    path: '/api/job-runs',
    access: 'administrator',
    commandLine: {
      verb: 'job run',
      args: ['job'],
      says: (_, { job }) => `A run of ${job} is requested. A serving process starts it within a second.`,
      wait: {
        polls: 'listJobRuns',
        progress(answer, { job }) {
          const { items } = answer as { readonly items: readonly JobRun[] }
          return progressOf(
            job,
            items.find((run) => run.job === job),
          )
        },
      },
    },
    body: name('JobRunRequest', z.object({ job: z.string().describe('Name of the job') })),
    example: { job: 'CLEAN_UP' },
    async handle({ parts, body, caller, audited }) {
      const { jobs } = await parts.configuration()
      const names = jobs.map(({ name }) => name)
      if (!names.includes(body.job)) throw notFound('job', body.job, names)
      const time = parts.now() + parts.store.clockOffset
      await openJobs(audited({ subject: body.job }).databases).request(body.job, caller.name, time)
      return {}
    },
  }),
]

function stateOf({ isRunning, requested, outcome, begun }: JobRun): string {
  if (isRunning) return 'running'
  if (requested !== null) return 'requested'
  return outcome ?? (begun === null ? 'never ran' : 'lost')
}

/** The beginning of a run clears its request and the outcome of the run before. */
function progressOf(job: string, run: JobRun | undefined): Progress {
  if (!run) return { ended: { item: {}, says: `The configuration has no job ${job} any more`, isFailure: true } }
  const { isRunning, requested, outcome, retry, reason } = run
  if (requested !== null)
    return isRunning
      ? {}
      : { hint: 'no process has started it yet. Is ig start or ig dev --jobs serving this project?' }
  if (outcome === null || retry !== null) return {}
  const isFailure = outcome !== 'succeeded'
  return {
    ended: { item: run, says: isFailure ? `${job} ${outcome}: ${reason ?? ''}` : `${job} succeeded.`, isFailure },
  }
}

function toTimeOrNull(time: number | null | undefined): string | null {
  return time === null || time === undefined || !Number.isFinite(time) ? null : toTime(time)
}
