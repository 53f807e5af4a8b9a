/** `ig settings`: every setting with its variable, its default and its meaning (specification 8.1 to 8.5). */
import type { Command } from 'commander'
import { describeSettings, logLevels, type SettingDescription, settingsFile } from '../settings.ts'
import { alignColumns, colours, print, printJson } from '../terminal/print.ts'

export function settings(command: Command): void {
  command
    .description(
      `Lists the keys of ${settingsFile}, a file in Java properties syntax in the project folder, with their ` +
        'defaults. Each key is also an environment variable, which overrides the file; command-line options override ' +
        'both. Settings are read at start.',
    )
    .option('--json', 'print them as JSON')
    .action(list)
}

function list({ json }: { readonly json?: boolean }): void {
  const all = describeSettings()
  if (json) printJson(all.map(({ group, see, ...setting }) => setting))
  else printSettings(all)
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
