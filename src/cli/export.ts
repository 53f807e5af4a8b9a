/** `ig revision export`: a revision as a gateway.config.ts; applying it again changes nothing (specification 13.2). */
import type { Command } from 'commander'
import { writeJson } from '../base/escape.ts'
import { withoutDefaults } from '../configuration/without-defaults.ts'
import { writeLiteral } from '../project/write-literal.ts'
import { addRemoteOptions } from '../terminal/administration.ts'
import { print, show } from '../terminal/print.ts'
import { projectOption } from '../terminal/project-options.ts'
import { writeWhole } from '../terminal/write-whole.ts'
import { withConfigurations } from './configurations.ts'
import type { PlaneOptions } from './plane.ts'

interface Options extends PlaneOptions {
  readonly out?: string
  readonly force?: boolean
  readonly json?: boolean
}

export function exportRevision(command: Command): void {
  command
    .description(
      'Prints a revision as a gateway.config.ts. Applying it again changes nothing. ' +
        'It contains no sample operators.',
    )
    .argument('[revision]', 'its number', 'active')
    .option(...projectOption)
    .option('--out <file>', 'write to this file, which must not exist')
    .option('--force', 'replace the file')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  ig revision export --out gateway.config.ts --force\n  ig revision export 3 --json',
    )
    .action(run)
  addRemoteOptions(command)
}

async function run(name: string, options: Options): Promise<void> {
  await withConfigurations(options, async (read) => {
    const { revision, configuration } = await read(name)
    const definition = withoutDefaults(configuration)
    const what = revision === undefined ? "The project's configuration" : `Revision ${revision}`
    const title = `/** ${revision === undefined ? what : `${what} of the configuration`}. */`
    const text = options.json
      ? writeJson(definition, 2)
      : `${title}\nimport { defineGateway } from 'integration-gateway'\n\nexport default defineGateway(${writeLiteral(definition)})`
    if (options.out === undefined) return print(text)
    writeWhole(options.out, `${text}\n`, options.force === true)
    print(`${what} is written to ${show(options.out)}.`)
  })
}
