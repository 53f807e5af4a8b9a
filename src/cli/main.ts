/** The command line: a table of verbs, one file each, and what becomes of their failures. */
import { Command, CommanderError } from 'commander'
import { describeSettings } from '../settings.ts'
import { apply } from './apply.ts'
import { can } from './can.ts'
import { check } from './check.ts'
import { describe } from './describe.ts'
import { dev } from './dev.ts'
import { diff } from './diff.ts'
import { drift } from './drift.ts'
import { explain } from './explain.ts'
import { explainFailure } from './explain-failure.ts'
import { exportRevision } from './export.ts'
import { healthcheck } from './healthcheck.ts'
import { operator } from './operator.ts'
import { revisions } from './revisions.ts'
import { rollback } from './rollback.ts'
import { settings } from './settings.ts'
import { startWorker } from './start/worker.ts'
import { start } from './start.ts'
import { template } from './template.ts'
import { token } from './token.ts'
import { tryCall } from './try.ts'

const verbs: readonly ((program: Command) => void)[] = [
  dev,
  start,
  startWorker,
  check,
  tryCall,
  explain,
  can,
  template,
  healthcheck,
  describe,
  apply,
  revisions,
  diff,
  rollback,
  exportRevision,
  drift,
  operator,
  token,
  settings,
]

/** Sets the exit code of the process: 0 done, 1 it failed, 2 the command was not understood. */
export async function main(args: readonly string[]): Promise<void> {
  const program = describeProgram()
  for (const add of verbs) add(program)
  for (const command of everyCommand(program))
    command.exitOverride().showHelpAfterError(`\nSee: ${pathOf(command)} --help`)
  process.stdout.on('error', () => {}) // whoever reads may stop before the end
  try {
    await program.parseAsync(args[0] === 'help' ? [...args.slice(1), '--help'] : args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2
      return
    }
    process.stderr.write(`${explainFailure(error, process.env.IG_DEBUG)}\n`)
    process.exitCode = 1
  }
}

function describeProgram(): Command {
  const version = describeSettings().find(({ key }) => key === 'ig.toolsRelease')?.fallback ?? ''
  return new Command('ig')
    .description('Integration gateway: publishes service operations as HTTP endpoints.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command...]', 'print the help of a command')
    .configureHelp({ showGlobalOptions: false, sortSubcommands: false })
    .addHelpText('after', examples)
}

const examples = `
A project is a folder with gateway.config.ts, handlers/ and, if it needs any, migrations/ and
integrationGateway.properties. Where a command takes one, it is the current folder by default.

Examples:
  ig dev                            serve the project of this folder for development
  ig check                          look for faults in its configuration
  ig try GET /ECHO.v1/echo/x --as DEMO
  ig operator add KIM --email kim@example.com --permission-list HR_ALL
  ig start /srv/hr --host 0.0.0.0   serve a project for production
  ig apply /srv/hr                  put its changed configuration in force
  ig settings                       every setting, its variable and its default

Exit code: 0 done, 1 it failed (the reason is on standard error), 2 the command was not understood.
IG_DEBUG=1 adds stack traces to failures. NO_COLOR=1 takes the colours away.`

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
