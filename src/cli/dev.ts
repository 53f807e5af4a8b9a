/**
 * `ig dev`: a project for development, with its sample operators and a sample issuer, on loopback; what is saved is live
 * (specification 9.14 to 9.16, 14).
 */
import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import type { Settings } from '../settings.ts'
import { keepIssuer } from './dev/keep-issuer.ts'
import { openListeners } from './dev/listeners.ts'
import { onLoopback } from './dev/loopback-only.ts'
import { supervise } from './dev/supervise.ts'
import { tellDeveloper } from './dev/tell-developer.ts'
import { watchProject } from './dev/watch-project.ts'
import { explainListening } from './explain-failure.ts'
import { print, warn } from './print.ts'
import { projectArgument, readProjectSettings } from './project-options.ts'
import { untilSignal } from './run-until-stopped.ts'

export function dev(program: Command): void {
  program
    .command('dev')
    .summary('serve a project for development')
    .description(
      'Serves a project on this machine only, adds its sample operators where they are absent, and runs a sample ' +
        'OAuth2 issuer beside it. Prints a curl line for every operation. What is saved is live at once; where it has ' +
        'faults they are printed, and what was served before is served on.',
    )
    .argument(...projectArgument)
    .option('--port <n>', 'port of the gateway (ig.port, 8080)')
    .option('--issuer-port <n>', 'port of the sample issuer (ig.sampleIssuer.port, 8090)')
    .addHelpText('after', '\nExample:\n  ig dev examples/reference --port 8081 --issuer-port 8091')
    .action(serve)
}

async function serve(path: string, options: { readonly port?: string; readonly issuerPort?: string }): Promise<void> {
  const given = { '--port': options.port, '--issuer-port': options.issuerPort }
  const overrides = Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const read = readProjectSettings(path, overrides)
  const settings = onLoopback(read)
  if (settings !== read)
    warn(`ig dev listens on this machine only, not on ig.host=${read.host}: everyone knows its sample passwords.`)

  await using opened = new AsyncDisposableStack()
  const issuer = keepIssuer(settings)
  opened.defer(issuer.close)
  const explain = (error: unknown) => {
    throw explainListening(error, settings)
  }
  const listeners = await openListeners(settings, (socket, isSecure) => supervisor.take(socket, isSecure)).catch(
    explain,
  )
  opened.defer(listeners.close)
  const folder = existsSync(path) ? realpathSync(path) : path
  const supervisor = supervise({
    worker: { folder: path, overrides, url: listeners.url, tlsUrl: listeners.tlsUrl },
    keepIssuer: (clients) => issuer.keep(clients).catch(explain),
    tell: tellDeveloper(settings),
  })
  opened.defer(supervisor.close)
  const stopped = untilSignal(() => print('\nStopping. Ctrl-C again stops at once.'))
  const watching = await watchProject({
    folder,
    ownFiles: findOwnFiles(settings, folder),
    onChange: supervisor.replace,
  })
  opened.defer(watching.close)

  if ((await supervisor.first) === 'failed') process.exitCode = 1
  else await stopped
}

/** The database and the logs, wherever in the project they are; `data/` is left out besides. */
function findOwnFiles({ database, log }: Settings, folder: string): readonly string[] {
  const logs = [log.messageLogFile, log.errorLogFile].map((path) => {
    const parent = dirname(path)
    return parent === folder ? path.replace(/\.\w+$/, '') : `${parent}/`
  })
  return database.includes('://') ? logs : [database, ...logs]
}
