/** Walks the commands of `ig`. */
import type { Command } from 'commander'

/** The command and all below it. */
export function listCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(listCommands)]
}

/** `ig operator add` */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
