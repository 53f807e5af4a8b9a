/** `ig rollback`: activates an earlier revision again, under its own number (specification 13.10, 13.17, 13.18). */
import type { Command } from 'commander'
import { projectOption } from '../terminal/project-options.ts'
import { readNumber } from '../terminal/use-revisions.ts'
import { type ActivateOptions, activate, addActivateOptions } from './activate.ts'
import { findAction, withConfigurations } from './configurations.ts'

export function rollback(command: Command): void {
  command
    .description(
      'Activates an earlier revision again: every running ig start serves it within a second. If one of their ' +
        'processes cannot serve it, the previous revision is activated again and the exit code is 1. The files of the ' +
        'project do not change, and differ from the active revision until you update them (ig drift, ig revision export).',
    )
    .argument('<revision>', 'its number')
    .option(...projectOption)
    .action(run)
  addActivateOptions(command, 'rollback')
}

async function run(name: string, options: ActivateOptions): Promise<void> {
  const revision = readNumber(name, 'Give its number: ig revision list has all.')
  await withConfigurations(options, async (read, plane) => {
    const [before, after] = [await read('active'), await read(name)]
    await activate({ action: findAction('activateRevision'), body: { revision }, before, after }, plane, options)
  })
}
