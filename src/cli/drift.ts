/** `ig drift`: whether the files of a project say what is in force (specification 13.11). */
import type { Command } from 'commander'
import { diffConfigurations } from '../model/diff-configurations.ts'
import { coloursFor, print, printJson } from './print.ts'
import { projectArgument } from './project-options.ts'
import { readNamed, withRevisions } from './use-revisions.ts'
import { writeChanges } from './write-changes.ts'

export function drift(program: Command): void {
  program
    .command('drift')
    .summary('compare what is in force with the files')
    .description(
      'Tells whether the configuration in the project folder says what the revision in force says. Exit code 1 where it\n' +
        'does not.',
    )
    .argument(...projectArgument)
    .option('--json', 'print { "revision", "changes": […] }')
    .action(run)
}

async function run(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  await withRevisions(folder, async (revisions) => {
    const active = await readNamed('active', revisions, folder)
    const files = await readNamed('files', revisions, folder)
    const changes = diffConfigurations(active.configuration, files.configuration)
    if (changes.length > 0) process.exitCode = 1
    if (json) return printJson({ revision: Number(active.title.replace(/\D/g, '')), changes })
    if (changes.length === 0) return print(`No drift: the files say what ${active.title}, which is in force, says.`)
    const compared = { before: active.configuration, after: files.configuration, changes }
    print(`The files differ from ${active.title}, which is in force:`)
    print(writeChanges(compared, coloursFor(process.stdout)))
  })
}
