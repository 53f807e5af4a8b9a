/** The command line: a table of verbs, one file each, and what becomes of their failures. */
import { Command, CommanderError } from 'commander'
import { describeSettings } from '../settings.ts'
import { explainFailure } from '../terminal/explain-failure.ts'
import { toTerminal } from '../terminal/print.ts'
import { runOn, type Terminal } from '../terminal/terminal.ts'

export { endProcess } from '../base/end-process.ts'

type AddVerb = (program: Command) => void

/** Each is loaded when it is asked for: `ig dev` is there sooner without what `ig start` needs. */
const verbs: Readonly<Record<string, () => Promise<AddVerb>>> = {
  new: async () => (await import('./new.ts')).newProject,
  dev: async () => (await import('./dev.ts')).dev,
  start: async () => (await import('./start.ts')).start,
  'start-worker': async () => (await import('./start-worker.ts')).startWorker,
  check: async () => (await import('./check.ts')).check,
  try: async () => (await import('./try.ts')).tryCall,
  explain: async () => (await import('./explain.ts')).explain,
  can: async () => (await import('./can.ts')).can,
  template: async () => (await import('./template.ts')).template,
  healthcheck: async () => (await import('./healthcheck.ts')).healthcheck,
  describe: async () => (await import('./describe.ts')).describe,
  import: async () => (await import('./import.ts')).importVerb,
  apply: async () => (await import('./apply.ts')).apply,
  revisions: async () => (await import('./revisions.ts')).revisions,
  diff: async () => (await import('./diff.ts')).diff,
  rollback: async () => (await import('./rollback.ts')).rollback,
  export: async () => (await import('./export.ts')).exportRevision,
  drift: async () => (await import('./drift.ts')).drift,
  backup: async () => (await import('./backup.ts')).backUp,
  restore: async () => (await import('./restore.ts')).restore,
  audit: async () => (await import('./audit.ts')).audit,
  invite: async () => (await import('./invite.ts')).invite,
  operator: async () => (await import('./operator.ts')).operator,
  token: async () => (await import('./token.ts')).token,
  settings: async () => (await import('./settings.ts')).settings,
}

/** Sets the exit code of the process, which `bin/ig.js` then ends: 0 done, 1 it failed, 2 the command was not understood; a verb may add its own, as `ig drift` does. */
export function main(args: readonly string[], given: Terminal = process): Promise<void> {
  return runOn(given, () => run(args, given))
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const program = describeProgram(terminal)
  for (const add of await loadVerbs(args[0])) add(program)
  for (const command of everyCommand(program))
    command.exitOverride().showHelpAfterError(`\nSee: ${pathOf(command)} --help`)
  for (const output of [terminal.stdout, terminal.stderr]) output.on('error', () => {}) // the reader may stop before the end
  try {
    await program.parseAsync(args[0] === 'help' ? [...args.slice(1), '--help'] : args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.exitCode = error.exitCode === 0 ? 0 : 2
      return
    }
    terminal.stderr.write(`${explainFailure(error, terminal.env.IG_DEBUG)}\n`)
    terminal.exitCode = 1
  }
}

/** Where none is named, all: for the help, and to suggest the nearest. */
function loadVerbs(named = ''): Promise<readonly AddVerb[]> {
  const load = Object.hasOwn(verbs, named) ? verbs[named] : undefined
  return Promise.all((load ? [load] : Object.values(verbs)).map((loadVerb) => loadVerb()))
}

function describeProgram({ stdout, stderr }: Terminal): Command {
  const version = describeSettings().find(({ key }) => key === 'ig.toolsRelease')?.fallback ?? ''
  return new Command('ig')
    .description('Integration gateway: publishes service operations as HTTP endpoints.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({
      writeOut: (text) => stdout.write(toTerminal(text)),
      writeErr: (text) => stderr.write(toTerminal(text)),
      getOutHelpWidth: () => stdout.columns,
      getErrHelpWidth: () => stderr.columns,
    })
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
