/** Code that runs by a schedule, on one process of the cluster at a time. README.md has the rules. */
import type { AlertRows } from '../../model/alert.ts'
import { check, job } from './configuration.ts'
import { mainTables } from './tables.ts'

export const jobs = {
  lists: {
    jobs: {
      schema: job,
      method: 'run',
      path: 'jobs',
      title: 'Job',
      tag: 'Jobs',
      noun: 'job',
      example: { name: 'CLEAN_UP', at: '0 3 * * *', timeZone: 'Europe/Berlin', handler: 'handlers/clean-up.ts' },
    },
  },
  check,
  tables: { main: mainTables },
  events: {
    jobLost: { means: "the process of a job's run ended or was paused" },
  },
  watchedEvents: { jobLost: 'error', jobSkipped: 'warning' },
  metrics: {
    ig_job_runs_total: {
      type: 'counter',
      help: 'Runs of jobs, by name and outcome: succeeded, failed, timedOut, lost or stopped.',
    },
    ig_job_duration_seconds: { type: 'summary', help: 'Duration of runs, by name.' },
  },
  alerts: async (): Promise<AlertRows> => ({
    GatewayJobFails: {
      title: 'A job fails',
      severity: 'warning',
      means: 'A run failed, took too long, or its process ended.',
      action: 'ig job list has the reason, and whether a later run succeeded; errorLog has the stack.',
      rule: {
        expr: 'sum by (instance, name) (increase(ig_job_runs_total{outcome=~"failed|timedOut|lost"}[30m])) > 0',
        summary: 'The job {{ $labels.name }} failed at {{ $labels.instance }}',
      },
    },
  }),
  open: async () => (await import('./open.ts')).open,
  actions: async () => (await import('./actions.ts')).actions,
  nouns: { job: 'list jobs and request a run' },
  testing: async () => (await import('./testing.ts')).testJobs,
} as const
