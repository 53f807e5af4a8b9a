/** `ig dev`: a project for development, with its sample operators and a sample issuer, on loopback (specification 9.14 to 9.16). */
import { createServer } from 'node:net'
import type { Command } from 'commander'
import { isLoopback } from '../model/loopback.ts'
import { toAll } from '../model/observation.ts'
import { formatProblem } from '../model/problem.ts'
import { openLogs } from '../observe/open-logs.ts'
import { openRecentTransactions } from '../observe/recent-transactions.ts'
import { openStandardOutput } from '../observe/standard-output.ts'
import { openGateway } from '../open-gateway.ts'
import { openProject, type Project } from '../project.ts'
import type { Settings } from '../settings.ts'
import { explainListening, Failure } from './explain-failure.ts'
import { moveSampleIssuer, usesSampleIssuer } from './move-sample-issuer.ts'
import { openAdministration } from './open-administration.ts'
import { coloursFor, hasColour, print, warn } from './print.ts'
import { projectArgument, readProjectSettings } from './project-options.ts'
import { requireAuthorizationServer } from './require-authorization-server.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { openSampleIssuer, type SampleIssuer } from './sample-issuer.ts'
import { addSampleOperators } from './sample-operators.ts'
import { writeWelcome } from './welcome.ts'

export function dev(program: Command): void {
  program
    .command('dev')
    .summary('serve a project for development')
    .description(
      'Serves a project on this machine only, adds its sample operators where they are absent, and runs a sample ' +
        'OAuth2 issuer beside it. Prints a curl line for every operation.',
    )
    .argument(...projectArgument)
    .option('--port <n>', 'port of the gateway (ig.port, 8080)')
    .option('--issuer-port <n>', 'port of the sample issuer (ig.sampleIssuer.port, 8090)')
    .option('--admin-port <n>', 'port of administration (ig.admin.port, 8081), or off')
    .addHelpText('after', '\nExample:\n  ig dev examples/reference --port 8081 --issuer-port 8091')
    .action(serve)
}

interface Options {
  readonly port?: string
  readonly issuerPort?: string
  readonly adminPort?: string
}

async function serve(folder: string, { port, issuerPort, adminPort }: Options): Promise<void> {
  const read = readProjectSettings(folder, { '--port': port, '--issuer-port': issuerPort, '--admin-port': adminPort })
  for (const warning of read.warnings) warn(formatProblem(warning))
  const loopback = onLoopback(read)
  const project = await openProject(folder)
  requireAuthorizationServer(loopback, project.configuration)

  await using opened = new AsyncDisposableStack()
  const output = openStandardOutput()
  opened.defer(output.close)
  const logs = openLogs(loopback, output, {
    format: 'text',
    showsCalls: process.stdout.isTTY === true,
    hasColor: hasColour(process.stdout),
  })
  opened.defer(logs.close)
  const recent = openRecentTransactions({ folder: project.folder, keep: loopback.recentTransactions })
  opened.defer(recent.close)
  const issuer = await openIssuer(project, loopback)
  if (issuer) opened.defer(issuer.close)
  const { configuration, settings } = issuer
    ? moveSampleIssuer({ configuration: project.configuration, settings: loopback }, issuer.issuer)
    : { configuration: project.configuration, settings: loopback }
  const observe = toAll([logs.observe, recent.observe])
  const gateway = await openGateway({
    project: { ...project, configuration },
    settings,
    observe,
    prepare: async (store) => void (await addSampleOperators(store, project.sampleOperators)),
  }).catch((error) => {
    throw explainListening(error, settings)
  })
  opened.defer(gateway.close)
  const administration = await openAdministration({ opened: gateway, project, settings, observe })
  if (administration) opened.defer(administration.close)

  const welcome = { opened: gateway, project, settings, issuer, administration, from: process.cwd() }
  await runUntilStopped({
    observe: logs.observe,
    onReady: () => print(writeWelcome(welcome, coloursFor(process.stdout))),
    onStop: () => print('\nStopping. Ctrl-C again stops at once.'),
    close: () => opened.disposeAsync(),
  })
}

/** Everyone knows the passwords of sample operators. */
function onLoopback<S extends Settings>(read: S): S {
  const { admin } = read
  const settings = admin && !isLoopback(admin.host) ? { ...read, admin: { ...admin, host: '127.0.0.1' } } : read
  if (isLoopback(settings.host)) return settings
  warn(`ig dev listens on this machine only, not on ig.host=${settings.host}: everyone knows its sample passwords.`)
  return { ...settings, host: '127.0.0.1' }
}

/** Only where the project registers it: nobody else would accept its tokens. */
async function openIssuer(
  { configuration, sampleOperators }: Project,
  settings: Settings,
): Promise<SampleIssuer | undefined> {
  if (!usesSampleIssuer(configuration)) return undefined
  const operators = sampleOperators.flatMap(({ id, email, clientSecret }) =>
    clientSecret ? [{ id, email, clientSecret }] : [],
  )
  try {
    return await openSampleIssuer({ host: '127.0.0.1', port: settings.sampleIssuerPort, operators })
  } catch (error) {
    throw await explainBoth(error, settings)
  }
}

/** The gateway would have been next: who has to choose one other port may have to choose two. */
async function explainBoth(error: unknown, settings: Settings): Promise<unknown> {
  const issuer = explainListening(error, settings)
  const gateway = explainListening(await tryListening(settings), settings)
  if (!(issuer instanceof Failure && gateway instanceof Failure)) return issuer
  return new Failure(`${gateway.message}\n${issuer.message}`)
}

/** @returns the error of the listener, if there is one */
function tryListening({ host, port }: Settings): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const server = createServer().once('error', resolve)
  server.listen(port, host, () => server.close(() => resolve({})))
  return promise
}
