/** `ig settings`: every setting with its variable, its default and what it means (specification 8.1 to 8.5). */
import type { Command } from 'commander'
import { describeSettings, logLevels, type SettingDescription, settingsFile } from '../settings.ts'
import { alignColumns, coloursFor, print, printJson } from './print.ts'

export function settings(program: Command): void {
  program
    .command('settings')
    .summary('list every setting')
    .description(
      `Lists the keys of ${settingsFile}, a file in Java properties syntax in the project folder.\n` +
        'Each key can also be an environment variable, which wins over the file; an option of the command line wins over\n' +
        'both. Settings are read at start.',
    )
    .option('--json', 'print them as JSON')
    .action(list)
}

function list({ json }: { readonly json?: boolean }): void {
  const all = describeSettings()
  if (json) printJson(all)
  else printSettings(all)
}

function printSettings(all: readonly SettingDescription[]): void {
  const { bold, dim } = coloursFor(process.stdout)
  for (const { key, variable, values, fallback, help } of all) {
    print(`${bold(key)} ${dim(variable)}`)
    print(`    ${help}${fallback === undefined ? '' : ` (default ${fallback})`}`)
    print(dim(`    ${values}`))
  }
  print(`\n${bold('Log levels')} ${dim('each writes what those before it write, and adds')}`)
  print(alignColumns(logLevels.map(([level, adds]) => [`  ${String(level).padStart(4)}`, adds])).join('\n'))
}
