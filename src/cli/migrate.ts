/** `ig migrate`: the pending migrations of the gateway and of the project, before an upgrade (specification 17.9). */
import type { Command } from 'commander'
import { openProject } from '../project/open-project.ts'
import { findPendingMigrations } from '../store/open-store.ts'
import { print, printJson, show } from '../terminal/print.ts'
import { readProjectSettings, takeProject, withProject } from '../terminal/project-options.ts'
import { withStore } from '../terminal/with-store.ts'

interface Options {
  readonly dryRun?: boolean
  readonly json?: boolean
}

export function migrate(command: Command): void {
  takeProject(command)
    .description(
      'Runs the pending migrations: those of the gateway, then those of the project in order of name. A start ' +
        'runs them too; this command runs them beforehand, or only lists them.',
    )
    .option('--dry-run', 'list them and change nothing')
    .option('--json', 'print { "isDone", "own": […], "project": […] }')
    .addHelpText('after', '\nExample:\n  ig migrate --project /srv/hr --dry-run')
    .action(withProject(run))
}

async function run(folder: string, { dryRun = false, json }: Options): Promise<void> {
  const { migrations } = await openProject(folder)
  const { database } = readProjectSettings(folder)
  const pending = await findPendingMigrations(database, migrations)
  const count = pending.own.length + pending.project.length
  if (!dryRun && count > 0) {
    await withStore(database, (store) => store.migrate(migrations))
  }
  if (json) return printJson({ isDone: !dryRun || count === 0, ...pending })
  if (count === 0) return print('The database has all migrations.')
  const lines = [
    ...pending.own.map((name) => `  ${name}  of the gateway`),
    ...pending.project.map((name) => `  ${show(name)}`),
  ]
  print(`${dryRun ? 'Pending' : 'Done'}:\n${lines.join('\n')}`)
}
