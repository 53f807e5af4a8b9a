/** The command line: what all verbs share, and how their failures are reported. `verbs.ts` is the table of verbs. */
import { Command, CommanderError, Help, type Option } from 'commander'
import { findNearest } from '../base/nearest.ts'
import { packageVersion } from '../settings/package-version.ts'
import { listCommands, pathOf } from '../terminal/commands.ts'
import { explainFailure, Failure } from '../terminal/explain-failure.ts'
import { paintFailure, reportFailure, toTerminal } from '../terminal/print.ts'
import { runOn, type Terminal } from '../terminal/terminal.ts'
import { renamedVerbs, verbs } from './verbs.ts'

export { endProcess } from '../serve/stop.ts'

/** Sets the exit code of the process, which `bin/ig.js` then ends: 0 success, 1 failure, 2 wrong command or option, 130 Ctrl-C; a verb may add its own, as `ig drift` does. */
export function main(args: readonly string[], given: Terminal = process): Promise<void> {
  return runOn(given, () => run(args, given))
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const [named = '', ...rest] = args[0] === 'help' ? args.slice(1) : args
  const program = await openProgram(terminal, named === 'completion' ? Object.keys(verbs) : [named])
  const former = findFormer(program, named, rest)
  if (former !== undefined) {
    reportFailure(`ig: "${former}" is now: ${renamedVerbs[former]}`)
    terminal.exitCode = 2
    return
  }
  for (const output of [terminal.stdout, terminal.stderr]) output.on('error', () => {}) // the reader may stop before the end
  try {
    await program.parseAsync(args[0] === 'help' ? [...args.slice(1), '--help'] : args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.exitCode = error.exitCode === 0 ? 0 : 2
      return
    }
    reportFailure(explainFailure(error, terminal.env.IG_DEBUG))
    terminal.exitCode = error instanceof Failure ? error.exitCode : 1
  }
}

/** A former verb may be a noun today: `ig token DEMO` was one, `ig token list` is not. */
function findFormer(program: Command, named: string, rest: readonly string[]): string | undefined {
  const nounVerbs = program.commands.find((each) => each.name() === named)?.commands.map((each) => each.name())
  const words = rest.filter((each) => /^\w/.test(each))
  const isVerb = (word: string) => findNearest(word, [...(nounVerbs ?? []), 'help']) !== undefined
  const isNoun = nounVerbs && (words.length === 0 || words.some(isVerb))
  return [`${named} ${rest[0]}`, ...(isNoun ? [] : [named])].find((name) => Object.hasOwn(renamedVerbs, name))
}

/** @param named the verbs to load; `ig --help` needs only their rows */
export async function openProgram(terminal: Terminal, named: readonly string[]): Promise<Command> {
  const program = describeProgram(terminal)
  for (const [name, { summary, load, isHidden = false }] of Object.entries(verbs)) {
    const command = program.command(name, { hidden: isHidden }).summary(summary)
    if (named.includes(name)) (await load())(command)
  }
  for (const command of listCommands(program))
    command.exitOverride().showHelpAfterError(`\nSee: ${pathOf(command)} --help`)
  return program
}

function describeProgram({ stdout, stderr }: Terminal): Command {
  return new Command('ig')
    .description('Integration gateway: publishes service operations as HTTP endpoints.')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({
      writeOut: (text) => stdout.write(toTerminal(text)),
      writeErr: (text) => stderr.write(toTerminal(text)),
      outputError: (text, write) => write(paintFailure(text, stderr)),
      getOutHelpWidth: () => stdout.columns,
      getErrHelpWidth: () => stderr.columns,
    })
    .helpCommand('help [command...]', 'print the help of a command')
    .configureHelp({
      showGlobalOptions: false,
      sortSubcommands: false,
      minWidthToWrap: 20,
      optionDescription: describeOption,
    })
    .addHelpText('after', examples)
}

const examples = `
A project is a folder with gateway.config.ts, handlers/ and, optionally, migrations/ and
integrationGateway.properties. Commands take it with --project; the default is the current folder.

Examples:
  ig dev                                      serve the project in this folder for development
  ig check                                    check its configuration for errors
  ig try GET /ECHO.v1/echo/x --as DEMO
  ig operator add KIM --email kim@example.com --permission-list HR_ALL
  ig start --project /srv/hr --host 0.0.0.0   serve a project for production
  ig apply --project /srv/hr                  activate its changed configuration
  ig settings                                 every setting, its variable and its default

Exit code: 0 success, 1 failure (the reason is on standard error), 2 wrong command or option,
3 ig drift or ig audit verify found a difference.
IG_DEBUG=1 adds stack traces to failures. NO_COLOR=1 disables colours,
FORCE_COLOR=1 enables them off a terminal.`

/** The text of an option in the help; an empty default says nothing and is left out. */
function describeOption(this: Help, option: Option): string {
  const description = Help.prototype.optionDescription.call(this, option)
  return description.replace(' (default: "")', '')
}
