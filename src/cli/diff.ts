/** `ig diff`: the differences between two revisions, or a revision and the files (specification 13.3). */
import type { Command } from 'commander'
import { diffConfigurations } from '../configuration/diff-configurations.ts'
import { addRemoteOptions } from '../terminal/administration.ts'
import { colours, print, printJson } from '../terminal/print.ts'
import { projectOption } from '../terminal/project-options.ts'
import { writeChanges } from '../terminal/write-changes.ts'
import { withConfigurations } from './configurations.ts'
import type { PlaneOptions } from './plane.ts'

export function diff(command: Command): void {
  command
    .description('Shows the differences. Ignores the order of keys and of list items.')
    .argument('<from>', 'a revision number, active, or files for the project folder')
    .argument('<to>', 'the same')
    .option(...projectOption)
    .option('--json', 'print the changes as JSON')
    .addHelpText('after', '\nExamples:\n  ig diff 3 4\n  ig diff active files')
    .action(run)
  addRemoteOptions(command)
}

interface Options extends PlaneOptions {
  readonly json?: boolean
}

async function run(from: string, to: string, options: Options): Promise<void> {
  await withConfigurations(options, async (read) => {
    const [before, after] = [await read(from), await read(to)]
    const changes = diffConfigurations(before.configuration, after.configuration)
    if (options.json) return printJson(changes)
    if (changes.length === 0) return print(`No differences between ${before.title} and ${after.title}.`)
    const compared = { before: before.configuration, after: after.configuration, changes }
    print(`Changes from ${before.title} to ${after.title}:\n${writeChanges(compared, colours())}`)
  })
}
