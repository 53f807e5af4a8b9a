/** `ig job`: the jobs of the active revision with their last runs, and requests to run one (specification 24.11). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { openProject } from '../../project/open-project.ts'
import type { Store } from '../../store/store.ts'
import { type AuthorOptions, addAuthorOption, changeOf, readAuthor } from '../../terminal/audited.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { requireNamed } from '../../terminal/find-named.ts'
import { print, printJson, printTable, show, warn } from '../../terminal/print.ts'
import { projectOption } from '../../terminal/project-options.ts'
import { findActive, readConfiguration, withRevisions } from '../../terminal/use-revisions.ts'
import type { JobDefinition } from './configuration.ts'
import type { JobRow } from './contract.ts'
import { openJobs } from './rows.ts'
import { openSchedule } from './schedule.ts'

interface ListOptions {
  readonly project: string
  readonly json?: boolean
}

interface RunOptions extends AuthorOptions {
  readonly project: string
  readonly wait?: boolean
}

export function job(command: Command): void {
  const group = command.description('The jobs of the active revision, which serving processes run.')
  group
    .command('list')
    .summary('list all jobs with their last run')
    .description('Lists all jobs with their schedule, next run and last run.')
    .option(...projectOption)
    .option('--json', 'print the result as JSON')
    .action(list)
  addAuthorOption(
    group
      .command('run <name>')
      .summary('request a run of a job')
      .description(
        'Requests a run, which a serving process starts within a second or, if the job is running, after that ' +
          'run. Under ig dev only with --jobs.',
      )
      .option(...projectOption)
      .option('--wait', 'wait until it ends; exit code 1 if it fails'),
  ).action(run)
}

async function list({ project, json }: ListOptions): Promise<void> {
  await withRevisions(project, async (_, store) => {
    const jobs = await readJobs(project, store)
    const rows = new Map((await openJobs(store.databases).list()).map((row) => [row.name, row]))
    const all = jobs.map((definition) => describe(definition, rows.get(definition.name)))
    if (json) return printJson(all)
    if (all.length === 0) return print('The configuration has no jobs.')
    const lines = all.map(({ name, schedule, next, state, begun, instance, reason }) => [
      show(name),
      show(schedule),
      next ?? '',
      state,
      begun ?? '',
      show(instance ?? ''),
      show(reason ?? ''),
    ])
    printTable([['JOB', 'SCHEDULE', 'NEXT', 'STATE', 'LAST RUN', 'PROCESS', 'REASON'], ...lines])
  })
}

function describe(definition: JobDefinition, row: JobRow | undefined) {
  const schedule = openSchedule(definition)
  const next = definition.isActive && row && row.schedule !== '' ? schedule.next(row.last) : undefined
  return {
    name: definition.name,
    schedule: schedule.text,
    isActive: definition.isActive,
    next: toTime(next),
    state: stateOf(row),
    runId: row?.run ?? null,
    instance: row?.instance ?? null,
    begun: toTime(row?.begun),
    ended: toTime(row?.ended),
    reason: row?.reason ?? null,
  }
}

function stateOf(row: JobRow | undefined): string {
  if (row?.isRunning) return 'running'
  if (row && row.requested !== null) return 'requested'
  return row?.outcome ?? (row?.hasBegun ? 'lost' : 'never ran')
}

function toTime(time: number | null | undefined): string | null {
  return time === null || time === undefined || !Number.isFinite(time) ? null : new Date(time).toISOString()
}

async function run(name: string, options: RunOptions): Promise<void> {
  const by = readAuthor(options)
  await withRevisions(options.project, async (_, store) => {
    requireNamed(
      'job',
      name,
      (await readJobs(options.project, store)).map((each) => each.name),
    )
    const before = await findRow(store, name)
    const time = Date.now() + store.clockOffset
    const audited = store.audited(changeOf(options, { action: 'requestJobRun', subject: name }))
    await openJobs(audited.databases).request(name, by, time)
    if (!options.wait) return print(`A run of ${show(name)} is requested. A serving process starts it within a second.`)
    const row = await untilEnded(store, name, before?.run ?? null)
    if (row.outcome !== 'succeeded') throw new Failure(`${show(name)} ${row.outcome}: ${show(row.reason ?? '')}`)
    print(`${show(name)} succeeded.`)
  })
}

/** Of the active revision; of the files, if they are served as under `ig dev`. */
async function readJobs(project: string, store: Store): Promise<readonly JobDefinition[]> {
  const active = await findActive(store.revisions)
  return active ? readConfiguration(active).jobs : (await openProject(project)).configuration.jobs
}

async function findRow(store: Store, name: string): Promise<JobRow | undefined> {
  return (await openJobs(store.databases).list()).find((row) => row.name === name)
}

/** Milliseconds between two looks. */
const pollInterval = 250
/** Then a serving process should have begun it. */
const maxPolls = 20

/** @param before the id of the run before */
async function untilEnded(store: Store, name: string, before: string | null): Promise<JobRow> {
  for (let polls = 1; ; polls += 1) {
    const row = await findRow(store, name)
    if (polls === maxPolls && row?.requested !== null && !row?.isRunning)
      warn('no process has started it yet. Is ig start or ig dev --jobs serving this project?')
    if (row && row.requested === null && row.run !== before && row.outcome !== null && row.retry === null) return row
    await sleep(pollInterval)
  }
}
