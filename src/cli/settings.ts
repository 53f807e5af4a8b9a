/** `ig settings`: every setting with its variable, its default and its meaning (specification 8.1 to 8.5). */
import type { Command } from 'commander'
import { ProjectProblems } from '../model/problem.ts'
import { type ListedSetting, openHandlerSettings } from '../settings/handler-settings.ts'
import { describeSettings, logLevels, type SettingDescription, settingsFile } from '../settings.ts'
import { alignColumns, colours, print, printJson } from '../terminal/print.ts'
import { isProjectFolder, projectOption } from '../terminal/project-options.ts'
import { terminal } from '../terminal/terminal.ts'

export function settings(command: Command): void {
  command
    .description(
      `Lists the keys of ${settingsFile}, a file in Java properties syntax in the project folder, with their ` +
        'defaults. Each key is also an environment variable, which overrides the file; command-line options override ' +
        'both. Settings are read at start. Then lists the variables that modules of the project declare, without values.',
    )
    .option(...projectOption)
    .option('--json', 'print them as JSON')
    .action(list)
}

interface Options {
  readonly project: string
  readonly json?: boolean
}

async function list({ project, json }: Options): Promise<void> {
  const all = describeSettings()
  const ofHandlers = await listOfHandlers(project)
  if (json) return printJson([...all.map(({ group, see, ...setting }) => setting), ...ofHandlers])
  printSettings(all)
  if (ofHandlers.length > 0) printOfHandlers(ofHandlers)
}

/** Declared by the modules that the configuration names; a project with errors shows those that were loaded. */
async function listOfHandlers(folder: string): Promise<readonly ListedSetting[]> {
  if (!isProjectFolder(folder)) return []
  const { openProject } = await import('../project/open-project.ts')
  await openProject(folder).catch((error) => {
    if (!(error instanceof ProjectProblems)) throw error
  })
  return openHandlerSettings(terminal().env).list()
}

function printOfHandlers(settings: readonly ListedSetting[]): void {
  const { bold, dim } = colours()
  print(`\n${bold('Handlers')} ${dim('environment variables that modules of this project declare')}`)
  for (const { variable, isSecret, source } of settings) {
    const state = source === undefined ? 'not set' : source === 'default' ? 'default' : `set (${source})`
    print(`  ${variable.padEnd(45)} ${state}${isSecret ? dim(', secret') : ''}`)
  }
}

function printSettings(all: readonly SettingDescription[]): void {
  const { bold, dim } = colours()
  print(`Defaults of ${settingsFile}, and the environment variable of each key.`)
  for (const [title, members] of Map.groupBy(all, ({ group }) => group)) {
    print(`\n${bold(title)}`)
    for (const { key, variable, values, fallback = '', help } of members) {
      print(`  ${`${key}=${fallback}`.padEnd(45)} ${dim(variable)}`)
      print(`      ${help} ${dim(`(${values})`)}`)
    }
  }
  print(`\n${bold('Log levels')} ${dim('each level includes the levels before it')}`)
  print(alignColumns(logLevels.map(([level, adds]) => [`  ${String(level).padStart(4)}`, adds])).join('\n'))
  print(dim('  Levels up to 2 go to the error log, the others to the message log.'))
}
