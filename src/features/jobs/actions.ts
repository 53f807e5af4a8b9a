/** The jobs of the active configuration with their last runs, and requests to run one (specification 24.11). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
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

export const actions = [
  action({
    operationId: 'listJobRuns',
    tag,
    summary: 'List the jobs of the active configuration with their last run',
    method: 'GET',
    path: '/api/job-runs',
    access: 'viewer',
    answer: z.object({ items: z.array(jobRun) }),
    async handle({ parts }) {
      const rows = new Map((await parts.rows(openJobs).list()).map((row) => [row.name, row]))
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
    body: name('JobRunRequest', z.object({ job: z.string() })),
    example: { job: 'CLEAN_UP' },
    async handle({ parts, body, caller, auditedRows }) {
      const { jobs } = await parts.configuration()
      if (!jobs.some(({ name }) => name === body.job)) throw notFound(`job ${body.job}`)
      const time = parts.now() + parts.store.clockOffset
      await auditedRows({ subject: body.job }, openJobs).request(body.job, caller.name, time)
      return {}
    },
  }),
]

function toTimeOrNull(time: number | null | undefined): string | null {
  return time === null || time === undefined || !Number.isFinite(time) ? null : toTime(time)
}
