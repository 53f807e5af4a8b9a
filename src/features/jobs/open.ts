/** The feature in a process: every process has the metrics of jobs, those that serve calls run them. */

import type { Catalog } from '../../configuration/catalog.ts'
import type { FeatureContext, OpenFeature } from '../../feature.ts'
import { jobOutcomes, type Observation } from '../../model/observation.ts'
import { maskings } from '../../observe/masking/masking.ts'
import { seriesOf } from '../../observe/metrics/report.ts'
import { followJobs, type JobFollower } from './follow-jobs.ts'

export function open({ settings, servesCalls, runsJobs }: FeatureContext): OpenFeature {
  const counts: Record<string, number> = {}
  const add = (series: string, count: number) => {
    counts[series] = (counts[series] ?? 0) + count
  }
  let catalog: () => Pick<Catalog, 'configuration'> | undefined = () => undefined
  let follower: JobFollower | undefined
  return {
    observe(observation: Observation) {
      if (observation.kind !== 'job') return
      const { transaction, outcome, ended } = observation
      const { job: name, begun } = transaction
      add(seriesOf('ig_job_runs_total', { name, outcome }), 1)
      add(seriesOf('ig_job_duration_seconds_sum', { name }), Math.max(0, ended - begun) / 1000)
      add(seriesOf('ig_job_duration_seconds_count', { name }), 1)
    },
    /** The series of a job exist before it runs: an increase from nothing is not visible. */
    counts() {
      for (const { name } of catalog()?.configuration.jobs ?? []) {
        for (const outcome of jobOutcomes) add(seriesOf('ig_job_runs_total', { name, outcome }), 0)
        for (const part of ['sum', 'count']) add(seriesOf(`ig_job_duration_seconds_${part}`, { name }), 0)
      }
      return counts
    },
    begin(gateway) {
      catalog = () => gateway.catalog
      if (servesCalls && runsJobs) follower = followJobs(gateway, { mask: maskings[settings.log.masking].reason })
    },
    welcome({ configuration }) {
      if (configuration.jobs.length === 0) return undefined
      return [
        'Jobs',
        `${configuration.jobs.map(({ name }) => name).join(', ')}${runsJobs ? '' : '  (not run without --jobs)'}`,
      ]
    },
    stop: async (grace) => follower?.stop(grace),
  }
}
