/** `ig apply`: makes the project's configuration the next revision and activates it (specification 13.2 to 13.5, 13.17, 13.18). */
import type { Command } from 'commander'
import type { Configuration } from '../configuration/configuration.ts'
import { type Change, diffConfigurations, summarise } from '../configuration/diff-configurations.ts'
import { findWarnings } from '../configuration/find-warnings.ts'
import type { Activation } from '../configuration/revision.ts'
import { mapTogether } from '../features.ts'
import { formatProblem } from '../model/problem.ts'
import { addRevision } from '../project/activate-revision.ts'
import { requireSettingsOf } from '../project/check-settings.ts'
import { openProject } from '../project/open-project.ts'
import type { ActivationOptions, RevisionStore } from '../store/revision-store.ts'
import { applyRemotely } from '../terminal/activate-remotely.ts'
import { addRemoteOptions, findRemoteAdministration, type RemoteOptions } from '../terminal/administration.ts'
import { type AuthorOptions, addAuthorOption, entryOf, readAuthor } from '../terminal/audited.ts'
import { addWaitOptions, awaitProcesses, readWait, report, type WaitOptions } from '../terminal/await-processes.ts'
import { colours, print, printJson, warn } from '../terminal/print.ts'
import { readProjectSettings, takeProject, withProject } from '../terminal/project-options.ts'
import { requireForce } from '../terminal/require-force.ts'
import { activatedMeanwhile, readConfiguration, withRevisions } from '../terminal/use-revisions.ts'
import { sumUp, writeFirstChanges } from '../terminal/write-changes.ts'

interface Options extends WaitOptions, AuthorOptions, RemoteOptions {
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly note?: string
  readonly json?: boolean
}

export function apply(command: Command): void {
  takeProject(command)
    .description(
      'Checks a project, shows what changes for callers, stores its configuration as the next revision and activates ' +
        'it: every running ig start on the same database serves it within a second. If one of their processes cannot ' +
        'serve it, the previous revision is activated again and the exit code is 1. A project without changes creates ' +
        'no revision. A project with errors activates nothing.',
    )
    .option('--dry-run', 'show the changes and activate nothing')
    .option('--force', 'activate even if clients lose a URL: an operation is renamed or removed, or an alias changes')
    .option('--note <text>', 'reason for the change, shown by ig revision list', '')
    .option('--json', 'print { "revision", "isActivated", "changes": […], "problems": […] }')
    .addHelpText('after', '\nExample:\n  ig apply --project /srv/hr --note "Vacation requests, v2"')
    .action(withProject(run))
  addRemoteOptions(addAuthorOption(addWaitOptions(command)))
}

async function run(folder: string, options: Options): Promise<void> {
  const { configuration } = await openProject(folder)
  const settings = readProjectSettings(folder)
  const administration = findRemoteAdministration(options)
  if (administration) return applyRemotely(configuration, administration, options)
  requireSettingsOf(settings, configuration)
  for (const warning of findWarnings(configuration, settings)) warn(formatProblem(warning))
  const wait = readWait(options)
  const author = readAuthor(options)
  await withRevisions(folder, async (revisions, store) => {
    const active = await findActive(revisions)
    const changes = diffConfigurations(active?.configuration ?? nothing, configuration)
    if (active && changes.length === 0) {
      if (options.json) return printJson({ revision: active.number, isActivated: false, changes })
      return print(`No changes: the active revision ${active.number} is identical.`)
    }
    if (!options.json) print(describe(active, configuration, changes))
    requireForce(changes, options)
    if (options.dryRun) {
      if (options.json) return printJson({ isActivated: false, changes })
      return print('Dry run: nothing was activated.')
    }
    const { note = '' } = options
    const audited = store.audited((result) => {
      const { revision } = (result as { readonly activation: Activation }).activation
      const after = { revision, note, ...summarise(changes) }
      return entryOf(options, { action, subject: `revision ${revision}`, before: { revision: active?.number }, after })
    })
    const activation = await activate(audited.revisions, configuration, active?.number, { note, author })
    const served = await awaitProcesses(activation, active?.number, store, { limit: wait, options })
    report(served, { revision: activation.revision, changes }, options)
  })
}

/** Name in the audit. */
const action = 'applyConfiguration'

export const nothing: Configuration = {
  nodes: [],
  documents: [],
  messages: [],
  services: [],
  operations: [],
  permissionLists: [],
  oauth2ServiceApps: [],
  ...mapTogether('lists', () => []),
  limits: [],
}

interface ActiveRevision {
  readonly number: number
  readonly configuration: Configuration
}

async function findActive(revisions: RevisionStore): Promise<ActiveRevision | undefined> {
  const activation = await revisions.active()
  const revision = activation && (await revisions.find(activation.revision))
  return revision && { number: revision.number, configuration: readConfiguration(revision) }
}

/** Everything in a first revision is new: a summary is enough. */
function describe(active: ActiveRevision | undefined, after: Configuration, changes: readonly Change[]): string {
  if (!active) return `There is no revision yet. ${sumUp(changes)}`
  const title = `Changes from revision ${active.number} to the project's files:`
  const compared = { before: active.configuration, after, changes }
  return `${title}\n${writeFirstChanges(compared, colours(), `ig diff ${active.number} files`)}`
}

async function activate(
  revisions: RevisionStore,
  configuration: Configuration,
  expectedActive: number | undefined,
  named: Pick<ActivationOptions, 'note' | 'author'>,
): Promise<Activation> {
  const outcome = await addRevision(revisions, configuration, { ...named, expectedActive, time: Date.now() })
  if ('activation' in outcome) return outcome.activation
  throw activatedMeanwhile(outcome.activeInstead)
}
