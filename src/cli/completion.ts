/** `ig completion`: the script that completes `ig` in a shell (specification 32.1). */
import { Argument, type Command } from 'commander'
import { completionScripts } from '../terminal/completion-scripts.ts'
import { describeCommand } from '../terminal/describe-command.ts'
import { print } from '../terminal/print.ts'

export function completion(command: Command): void {
  command
    .description('Prints the script that completes commands and options of ig in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(completionScripts)))
    .addHelpText(
      'after',
      `
Examples:
  ig completion bash > ~/.local/share/bash-completion/completions/ig
  ig completion zsh > ~/.zfunc/_ig                     where fpath has ~/.zfunc
  ig completion fish > ~/.config/fish/completions/ig.fish`,
    )
    .action((shell: string) => {
      if (command.parent) print(completionScripts[shell]?.(describeCommand(command.parent)).trimEnd() ?? '')
    })
}
