/** `ig start`: a project for production; nothing of it is for samples (specification 9.14). */
import type { Command } from 'commander'
import { diffConfigurations } from '../model/diff-configurations.ts'
import { isLoopback } from '../model/loopback.ts'
import { toAll } from '../model/observation.ts'
import { formatProblem } from '../model/problem.ts'
import { openLogs } from '../observe/open-logs.ts'
import { openRecentTransactions } from '../observe/recent-transactions.ts'
import { openStandardOutput } from '../observe/standard-output.ts'
import { type OpenGateway, openGateway } from '../open-gateway.ts'
import { openHandlers, openProject, type Project } from '../project.ts'
import type { Settings } from '../settings.ts'
import type { Store } from '../store/store.ts'
import { explainListening, Failure } from './explain-failure.ts'
import { openAdministration, tellAdministration } from './open-administration.ts'
import { warn } from './print.ts'
import { projectArgument, readProjectSettings } from './project-options.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { findSamplePasswords } from './sample-operators.ts'

export function start(program: Command): void {
  program
    .command('start')
    .summary('serve a project for production')
    .description(
      'Serves a project for production: no sample issuer, no sample operators. The configuration is the revision that ' +
        "is in force in the store; the first start makes the project's files revision 1. Standard output is the " +
        'structured log, one JSON object a line; what a person should know stands on standard error.',
    )
    .argument(...projectArgument)
    .option('--host <address>', 'where to listen (ig.host, 127.0.0.1); 0.0.0.0 for all networks')
    .option('--port <n>', 'port (ig.port, 8080)')
    .option('--admin-port <n>', 'port of administration (ig.admin.port, 8081), or off')
    .addHelpText('after', '\nExample:\n  ig start /srv/hr --host 0.0.0.0 --port 8080')
    .action(serve)
}

interface Options {
  readonly host?: string
  readonly port?: string
  readonly adminPort?: string
}

async function serve(folder: string, { host, port, adminPort }: Options): Promise<void> {
  const settings = readProjectSettings(folder, { '--host': host, '--port': port, '--admin-port': adminPort })
  for (const warning of settings.warnings) warn(formatProblem(warning))
  const project = await openProject(folder)

  await using opened = new AsyncDisposableStack()
  const output = openStandardOutput()
  opened.defer(output.close)
  const logs = openLogs(settings, output)
  opened.defer(logs.close)
  const recent = openRecentTransactions({ folder: project.folder, keep: settings.recentTransactions })
  opened.defer(recent.close)
  const observe = toAll([logs.observe, recent.observe])
  const findHandlers = openHandlers(project)
  const gateway = await openGateway({
    project,
    settings,
    observe,
    findHandlers,
    prepare: (store) => refuseSamplePasswords(store, project, settings),
  }).catch((error) => {
    throw explainListening(error, settings)
  })
  opened.defer(gateway.close)
  const administration = await openAdministration({ opened: gateway, project, settings, observe, findHandlers })
  if (administration) opened.defer(administration.close)

  const places = [gateway.url, gateway.tlsUrl].filter((url) => url !== undefined).join(' and ')
  await runUntilStopped({
    observe: logs.observe,
    onReady() {
      process.stderr.write(`ig: serving ${project.folder} at ${places}\n`)
      const message = `Serving revision ${gateway.gateway.catalog.revision} at ${places}.`
      logs.observe({ kind: 'event', level: 'information', name: 'started', message })
      tellRevision(gateway, project, folder)
      tellMissingOperators(gateway, folder)
      if (administration) process.stderr.write(`ig: administration at ${tellAdministration(administration)}\n`)
    },
    onStop: () => logs.observe({ kind: 'event', level: 'information', name: 'stopping', message: 'Stopping.' }),
    close: () => opened.disposeAsync(),
  })
}

/** A database that `ig dev` used has operators whose passwords everyone can read. */
async function refuseSamplePasswords(store: Store, project: Project, settings: Settings): Promise<void> {
  const ids = await findSamplePasswords(store, project.sampleOperators)
  if (ids.length === 0) return
  const fault = `${ids.join(', ')} of this database ${ids.length === 1 ? 'has its' : 'have their'} sample password, which stands in the project`
  if (isLoopback(settings.host)) return warn(`${fault}.`)
  throw new Failure(
    `${fault}; ig start does not offer that on ${settings.host}.\n` +
      'Lock them (ig operator lock <id>), give them other passwords (ig operator set-password <id>),\n' +
      'or use another database (ig.database).',
  )
}

/** What is in force is the store's; the files may say something else. */
function tellRevision({ gateway, hasMadeRevision }: OpenGateway, { configuration }: Project, folder: string): void {
  const { revision } = gateway.catalog
  const made = "the store had none, and the project's configuration became it"
  process.stderr.write(`ig: revision ${revision} is in force${hasMadeRevision ? `: ${made}` : ''}\n`)
  const count = diffConfigurations(gateway.catalog.configuration, configuration).length
  if (count === 0) return
  const places = count === 1 ? 'one place' : `${count} places`
  const argument = folder === '.' ? '' : ` ${folder}`
  warn(
    `the project's files differ from revision ${revision} in ${places}. See them with ig drift${argument}, put them in force with ig apply${argument}.`,
  )
}

function tellMissingOperators({ gateway }: OpenGateway, folder: string): void {
  const { operators, catalog } = gateway
  const { anonymousOperatorId } = catalog
  const project = folder === '.' ? '' : ` --project ${folder}`
  if (operators.size === 0) {
    const list = [...catalog.permissionLists.keys()][0] ?? '<name>'
    warn(
      `there is no operator yet, so every call is refused. Add the first:\n  ig operator add <id> --permission-list ${list}${project}`,
    )
  } else if (anonymousOperatorId !== undefined && !operators.has(anonymousOperatorId)) {
    warn(
      `${anonymousOperatorId}, the ANONYMOUS node's default user, is no operator: calls without credentials are refused.`,
    )
  }
}
