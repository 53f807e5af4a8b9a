/** Gateways on one database that run jobs, looked at by the test instead of once a second, on a clock of its own. */
import type { TestContext } from 'node:test'
import { classKeyOf } from '../../../src/configuration/list-references.ts'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { followJobs, type JobFollower } from '../../../src/features/jobs/follow-jobs.ts'
import type { JobClass, JobContext } from '../../../src/features/jobs/job.ts'
import type { Gateway } from '../../../src/gateway.ts'
import type { Event, JobRun, Observation } from '../../../src/model/observation.ts'
import { openPipeline } from '../../../src/serve/open-gateway.ts'
import type { TestDatabase } from '../../support/databases.ts'
import { readTestSettings } from '../../support/gateway.ts'
import { notes } from '../../support/store-process.ts'

export interface JobCluster {
  readonly url: string
  /** Sets the clock of all instances forward. */
  advance(milliseconds: number): void
  now(): number
  open(jobs?: readonly object[]): Promise<JobInstance>
}

export interface JobInstance {
  readonly gateway: Gateway
  readonly follower: JobFollower
  /** `succeeded 1`: outcome and attempt of each run that ended here. */
  readonly runs: readonly string[]
  readonly errors: readonly unknown[]
  /** Names of events about jobs. */
  readonly events: readonly string[]
  /** Looks, and waits for the runs. */
  run(): Promise<void>
}

export interface JobClusterOptions {
  readonly database: TestDatabase
  /** What the job does; jobs are named `WORK` unless the test says otherwise. */
  readonly work: (context: JobContext) => unknown
  readonly properties?: Readonly<Record<string, string>>
}

export const everyFive = [{ name: 'WORK', every: '5min', handler: 'handlers/work.ts' }]
export const fiveMinutes = 300_000

export async function openJobCluster(t: TestContext, options: JobClusterOptions): Promise<JobCluster> {
  const { database, work, properties = {} } = options
  const { url, remove } = await (database.openMigrated?.() ?? database.open())
  let time = Date.parse('2026-01-01T12:00:00Z')
  const handler: JobClass = class {
    async run(context: JobContext) {
      await work(context)
    }
  }
  const settings = readTestSettings(import.meta.dirname, { 'ig.database': url, ...properties })
  const closing: (() => Promise<unknown>)[] = [remove]
  t.after(async () => {
    for (const close of closing.toReversed()) await close()
  })
  return {
    url,
    advance: (milliseconds) => void (time += milliseconds),
    now: () => time,
    async open(jobs = everyFive) {
      const parsed = parseConfiguration({ nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }], jobs } as never)
      if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems))
      const observations: Observation[] = []
      const { gateway, close } = await openPipeline({
        project: {
          ...parsed,
          handlers: new Map([[classKeyOf('jobs', 'handlers/work.ts'), handler]]),
          migrations: [notes],
        },
        settings,
        observe: (observation) => void observations.push(observation),
        now: () => time,
      })
      closing.push(close)
      const follower = followJobs(gateway, { mask: (reason) => reason, every: 3_600_000 })
      closing.push(() => follower.stop(0))
      const ended = () => observations.filter((one): one is JobRun => one.kind === 'job')
      return {
        gateway,
        follower,
        get runs() {
          return ended().map(({ outcome, attempt }) => `${outcome} ${attempt}`)
        },
        get errors() {
          return ended().map(({ error }) => error)
        },
        get events() {
          const events = observations.filter((one): one is Event => one.kind === 'event').map(({ name }) => name)
          return events.filter((name) => name.startsWith('job'))
        },
        async run() {
          await follower.poll()
          await follower.settled()
        },
      }
    },
  }
}
