/** `ig rollback`: activates an earlier revision again, under its own number (specification 13.10, 13.17, 13.18, 13.20). */
import { realpath } from 'node:fs/promises'
import type { Command } from 'commander'
import { diffConfigurations, summarise } from '../configuration/diff-configurations.ts'
import type { Activation } from '../configuration/revision.ts'
import { requireSettingsOf } from '../project/check-settings.ts'
import { openHandlers } from '../project/open-project.ts'
import type { RevisionStore } from '../store/revision-store.ts'
import { rollBackRemotely } from '../terminal/activate-remotely.ts'
import { addRemoteOptions, findRemoteAdministration, type RemoteOptions } from '../terminal/administration.ts'
import { type AuthorOptions, addAuthorOption, entryOf, readAuthor } from '../terminal/audited.ts'
import { addWaitOptions, awaitProcesses, readWait, report, type WaitOptions } from '../terminal/await-processes.ts'
import { Failure, formatProblems } from '../terminal/explain-failure.ts'
import { colours, print, printJson } from '../terminal/print.ts'
import { projectOption, readProjectSettings } from '../terminal/project-options.ts'
import { requireForce } from '../terminal/require-force.ts'
import {
  activatedMeanwhile,
  readConfiguration,
  requireRevision,
  requireValid,
  withRevisions,
} from '../terminal/use-revisions.ts'
import { writeFirstChanges } from '../terminal/write-changes.ts'

interface Options extends WaitOptions, AuthorOptions, RemoteOptions {
  readonly project: string
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly note: string
  readonly json?: boolean
}

export function rollback(command: Command): void {
  command
    .description(
      'Activates an earlier revision again: every running ig start serves it within a second. If one of their ' +
        'processes cannot serve it, the previous revision is activated again and the exit code is 1. The files of the ' +
        'project do not change, and differ from the active revision until you update them (ig drift, ig revision export).',
    )
    .argument('<revision>', 'its number')
    .option(...projectOption)
    .option('--dry-run', 'show the changes and activate nothing')
    .option('--force', 'activate even if clients lose a URL: an operation is renamed or removed, or an alias changes')
    .option('--note <text>', 'reason for the rollback, shown by ig revision list', '')
    .option('--json', 'print { "revision", "isActivated", "changes": […], "problems": […] }')
    .action(run)
  addRemoteOptions(addAuthorOption(addWaitOptions(command)))
}

async function run(name: string, options: Options): Promise<void> {
  const wait = readWait(options)
  readAuthor(options)
  const administration = findRemoteAdministration(options)
  if (administration) return rollBackRemotely(name, administration, options)
  await withRevisions(options.project, async (revisions, store) => {
    const target = await requireRevision(name, revisions)
    const active = await requireRevision('active', revisions)
    if (target.number === active.number) {
      if (options.json) return printJson({ revision: target.number, isActivated: false, changes: [] })
      return print(`No changes: revision ${target.number} is already active.`)
    }
    const after = requireValid(target)
    await requireServable(target.number, after, options.project)
    const before = readConfiguration(active)
    const changes = diffConfigurations(before, after)
    const entry = entryOf(options, {
      action: 'activateRevision',
      subject: `revision ${target.number}`,
      before: { revision: active.number },
      after: { revision: target.number, note: options.note, ...summarise(changes) },
    })
    if (!options.json) {
      print(`Changes from revision ${active.number} to revision ${target.number}:`)
      const command = `ig diff ${active.number} ${target.number}`
      print(writeFirstChanges({ before, after, changes }, colours(), command))
    }
    requireForce(changes, options)
    if (options.dryRun) {
      if (options.json) return printJson({ isActivated: false, changes })
      return print('Dry run: nothing was activated.')
    }
    const audited = store.audited(() => entry)
    const activation = await activate(audited.revisions, target.number, active.number, options)
    const served = await awaitProcesses(activation, active.number, store, { limit: wait, options })
    report(served, { revision: target.number, changes }, options)
  })
}

/** Errors in the files do not matter here: only the code that the revision names is needed. */
async function requireServable(number: number, configuration: ReturnType<typeof requireValid>, folder: string) {
  requireSettingsOf(readProjectSettings(folder), configuration)
  const found = await openHandlers({ folder: await realpath(folder), handlers: new Map() })(configuration)
  if ('problems' in found)
    throw new Failure(
      formatProblems(`nothing was activated. For revision ${number}, the project folder has`, found.problems),
    )
}

async function activate(
  revisions: RevisionStore,
  number: number,
  expectedActive: number,
  { note }: Options,
): Promise<Activation> {
  const outcome = await revisions.activate(number, { expectedActive, note, time: Date.now() })
  if ('activeInstead' in outcome) throw activatedMeanwhile(outcome.activeInstead)
  return outcome.activation
}
