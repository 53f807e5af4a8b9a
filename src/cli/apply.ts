/** `ig apply`: makes the project's configuration the next revision and activates it (specification 13.2 to 13.5, 13.17, 13.18). */
import type { Command } from 'commander'
import { findWarnings } from '../configuration/find-warnings.ts'
import { withoutDefaults } from '../configuration/without-defaults.ts'
import { formatProblem } from '../model/problem.ts'
import { warn } from '../terminal/print.ts'
import { readProjectSettings, takeProject, withProject } from '../terminal/project-options.ts'
import { type ActivateOptions, activate, addActivateOptions } from './activate.ts'
import { findAction, readActive, readFiles, withConfigurations } from './configurations.ts'

export function apply(command: Command): void {
  takeProject(command)
    .description(
      'Checks a project, shows what changes for callers, stores its configuration as the next revision and activates ' +
        'it: every running ig start on the same database serves it within a second. If one of their processes cannot ' +
        'serve it, the previous revision is activated again and the exit code is 1. A project without changes creates ' +
        'no revision. A project with errors activates nothing.',
    )
    .addHelpText('after', '\nExample:\n  ig apply --project /srv/hr --note "Vacation requests, v2"')
    .action(withProject(run))
  addActivateOptions(command, 'change')
}

async function run(project: string, options: Omit<ActivateOptions, 'project'>): Promise<void> {
  const after = await readFiles(project)
  const { configuration } = after
  if (options.url === undefined)
    for (const warning of findWarnings(configuration, readProjectSettings(project))) warn(formatProblem(warning))
  await withConfigurations({ ...options, project }, async (_read, plane) => {
    const before = await readActive(plane)
    const body = { configuration: withoutDefaults(configuration) }
    await activate({ action: findAction('applyConfiguration'), body, before, after }, plane, { ...options, project })
  })
}
