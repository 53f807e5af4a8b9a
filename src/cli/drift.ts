/** `ig drift`: whether the files of a project match the active revision (specification 13.2). */
import type { Command } from 'commander'
import { diffConfigurations } from '../configuration/diff-configurations.ts'
import { addRemoteOptions } from '../terminal/administration.ts'
import { colours, print, printJson, show } from '../terminal/print.ts'
import { takeProject, withProject } from '../terminal/project-options.ts'
import { terminal } from '../terminal/terminal.ts'
import { writeFirstChanges } from '../terminal/write-changes.ts'
import { withConfigurations } from './configurations.ts'
import type { PlaneOptions } from './plane.ts'

/** Differs from the codes of a failure and of a wrong command, for scripts. */
const driftCode = 3

export function drift(command: Command): void {
  takeProject(command)
    .description(
      'Compares the configuration in the project folder with the active revision. Exit code 0: identical; ' +
        `${driftCode}: different; 1: cannot be compared, because there is no revision yet or the files have errors.`,
    )
    .option('--json', 'print { "revision", "changes": […] }')
    .action(withProject(run))
  addRemoteOptions(command)
}

async function run(
  project: string,
  { json, ...options }: Omit<PlaneOptions, 'project'> & { readonly json?: boolean },
): Promise<void> {
  await withConfigurations({ ...options, project }, async (read) => {
    const { revision, configuration: before } = await read('active')
    const { configuration: after } = await read('files')
    const changes = diffConfigurations(before, after)
    if (changes.length > 0) terminal().exitCode = driftCode
    if (json) return printJson({ revision, changes })
    if (changes.length === 0) return print(`No drift: the files match the active revision ${revision}.`)
    print(`The files differ from the active revision ${revision}:`)
    print(
      writeFirstChanges(
        { before, after, changes },
        colours(),
        `ig diff active files${options.url === undefined ? '' : ` --url ${show(options.url)}`}`,
      ),
    )
  })
}
