/** The jobs of a configuration, compiled. */
import { parseTime } from '../../base/units.ts'
import type { Catalog } from '../../configuration/catalog.ts'
import { classKeyOf } from '../../configuration/list-references.ts'
import type { JobClass } from './job.ts'
import { openSchedule, type Schedule } from './schedule.ts'

export interface ScheduledJob {
  readonly name: string
  /** An inactive job runs only on request. */
  readonly isActive: boolean
  readonly schedule: Schedule
  /** As its row has it. A job with another one, such as one that becomes active, makes up nothing. */
  readonly plan: string
  /** Milliseconds. */
  readonly timeLimit: number
  /** How often a failed run is repeated. */
  readonly retries: number
  readonly handler: JobClass
}

/** The jobs by name. */
export function compileJobs({
  configuration,
  handlers,
}: Pick<Catalog, 'configuration' | 'handlers'>): ReadonlyMap<string, ScheduledJob> {
  return new Map(
    configuration.jobs.map((definition) => {
      const { name, isActive, retries, timeLimit } = definition
      const handler = handlers.get(classKeyOf('jobs', definition.handler)) as JobClass
      const schedule = openSchedule(definition)
      const plan = isActive ? schedule.text : `${schedule.text}, inactive`
      return [name, { name, isActive, retries, timeLimit: parseTime(timeLimit) ?? 0, schedule, plan, handler }]
    }),
  )
}
