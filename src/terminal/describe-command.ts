/** Commands and options as completion scripts and the manual page show them (specification 32.1, 32.2). */
import type { Command } from 'commander'
import { pathOf } from './commands.ts'

export interface DescribedCommand {
  /** `ig operator add` */
  readonly path: string
  readonly name: string
  readonly summary: string
  readonly options: readonly DescribedOption[]
  readonly commands: readonly DescribedCommand[]
}

export interface DescribedOption {
  /** `-h, --help` */
  readonly flags: string
  readonly names: readonly string[]
  readonly description: string
  /** The values that it takes, if no others. */
  readonly values: readonly string[]
}

/** @param command with its verbs loaded */
export function describeCommand(command: Command): DescribedCommand {
  const help = command.createHelp()
  return {
    path: pathOf(command),
    name: command.name(),
    summary: command.summary() || command.description(),
    options: help.visibleOptions(command).map((option) => ({
      flags: option.flags,
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: help.optionDescription(option),
      values: option.argChoices ?? [],
    })),
    commands: help.visibleCommands(command).map(describeCommand),
  }
}

/** The command and all below it. */
export function listDescribed(command: DescribedCommand): readonly DescribedCommand[] {
  return [command, ...command.commands.flatMap(listDescribed)]
}
