/**
 * `ig dev`: a project for development, with its sample operators and a sample issuer, on loopback; saved changes take effect immediately
 * (specification 9.14 to 9.16, 14).
 */
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, parse } from 'node:path'
import type { Command } from 'commander'
import { runsSources } from '../base/package-files.ts'
import { listTables } from '../features.ts'
import { buildPages } from '../serve/development/build-pages.ts'
import { onLoopback } from '../serve/development/development-settings.ts'
import { keepIssuer } from '../serve/development/keep-issuer.ts'
import { openListeners } from '../serve/development/listeners.ts'
import { openReloader, type Reloader } from '../serve/development/reloader.ts'
import { reportToDeveloper } from '../serve/development/report-to-developer.ts'
import { watchProject } from '../serve/development/watch-project.ts'
import { closingTime, limitStop, stopOnSignal, stopWithNpm } from '../serve/stop.ts'
import { makeDevelopmentKey } from '../settings/development-key.ts'
import type { Settings } from '../settings.ts'
import { isPostgres } from '../store/is-postgres.ts'
import { besides, setAside } from '../store/sqlite/files.ts'
import { claimInstallation } from '../store/sqlite/installation.ts'
import { explainListening, Failure } from '../terminal/explain-failure.ts'
import { print, warn } from '../terminal/print.ts'
import { isProjectFolder, readProjectSettings, takeProject, withProject } from '../terminal/project-options.ts'

export function dev(command: Command): void {
  takeProject(command)
    .description(
      'Serves a project on this machine only, adds its missing sample operators, and runs a sample OAuth2 issuer. ' +
        'Prints a curl command for every operation. Saved changes take effect immediately. If they have errors, it ' +
        'prints them and keeps serving the last working version.',
    )
    .option('--port <n>', 'port of the gateway (ig.port, 8080)')
    .option('--issuer-port <n>', 'port of the sample issuer (ig.sampleIssuer.port, 8090)')
    .option('--admin-port <n>', 'port of administration (ig.admin.port, 8081), or off')
    .option('--inspect [port]', 'open the debugger of the process that runs handlers, on port 9229 by default')
    .option('--jobs', "run the project's jobs on schedule")
    .option('--revisions', 'serve the configuration as a revision, which the console can edit, instead of the files')
    .option('--new', 'start with an empty database; one that exists is renamed (SQLite)')
    .addHelpText('after', '\nExample:\n  ig dev --project examples/reference --port 9080 --issuer-port 9090')
    .action(withProject(serve))
}

interface DevOptions {
  readonly port?: string
  readonly issuerPort?: string
  readonly adminPort?: string
  readonly inspect?: string | true
  readonly jobs?: boolean
  readonly revisions?: boolean
  readonly new?: boolean
}

async function serve(path: string, options: DevOptions): Promise<void> {
  const { port, issuerPort, adminPort, jobs: runsJobs = false, revisions = false, new: isNew = false } = options
  const given = { '--port': port, '--issuer-port': issuerPort, '--admin-port': adminPort }
  process.on('unhandledRejection', (error) => warn(`an error was not caught; ig dev keeps running: ${String(error)}`))
  const overrides = Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  if (!isProjectFolder(path)) await (await import('../project/open-project.ts')).openProject(path) // reports what is missing
  if (!readProjectSettings(path, overrides).secretKey) makeDevelopmentKey(path)
  const read = readProjectSettings(path, overrides)
  const settings = onLoopback(read)
  if (settings.host !== read.host)
    warn(`ig dev listens on this machine only, not on ig.host=${read.host}, because the sample passwords are public.`)
  if (runsSources && settings.admin) buildPages()

  await using opened = new AsyncDisposableStack()
  const issuer = keepIssuer(settings)
  opened.defer(issuer.close)
  const folder = realpathSync(path)
  let reloader: Reloader | undefined
  // Before the first process reads the files: no later change is missed
  const watching = await watchProject({
    folder,
    isOwn: knowsOwnFiles(settings, folder),
    onChange: (files, since) => reloader?.replace(files, since),
  })
  opened.defer(watching.close)
  const listeners = await openListeners(settings, (socket, entrance) => reloader?.take(socket, entrance)).catch(
    async (error) => {
      throw await explainPorts(error, path, settings)
    },
  )
  opened.defer(listeners.close)
  if (isNew && !isPostgres(settings.database)) setDatabaseAside(settings.database)
  reloader = openReloader({
    server: {
      folder: path,
      overrides,
      url: listeners.url,
      tlsUrl: listeners.tlsUrl,
      adminUrl: listeners.adminUrl,
      inspect: readInspectorPort(options.inspect),
      runsJobs,
      servesRevisions: revisions,
    },
    database: settings.database,
    keepIssuer: (clients) =>
      issuer.keep(clients).catch((error) => {
        throw explainListening(error, settings)
      }),
    report: reportToDeveloper(settings),
  })
  opened.defer(reloader.close)
  const stopping = new AbortController()
  const stopRequested = once(stopping.signal, 'abort').then(() =>
    print('\nStopping. Press Ctrl-C again to stop immediately.'),
  )
  stopOnSignal(stopping)
  stopWithNpm(stopping)

  if ((await reloader.first) === 'failed') process.exitCode = 1
  else await stopRequested
  limitStop(settings.limits.shutdownGrace + closingTime)
}

/** Renames the database with the files beside it, so that the new one contains nothing of it. */
function setDatabaseAside(database: string): void {
  if (!existsSync(database)) return
  const claim = claimInstallation(database)
  if (!claim) throw new Failure(`${database} is in use. Stop the process that uses it, or omit --new.`)
  const asides = ['', 'cache', 'id', ...listTables('separate').map(({ feature }) => feature)].flatMap((purpose) => {
    const file = purpose === '' ? database : besides(database, purpose)
    return existsSync(file) ? [setAside(file, 'before')] : []
  })
  claim.release()
  print(`The previous database is now ${asides[0]}.`)
}

function readInspectorPort(given: string | true | undefined): number | undefined {
  if (given === undefined || given === true) return given && 9229
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given)
  throw new Failure(`--inspect needs a port, not ${given}.`)
}

/** The files of the database and the logs, wherever they are in the project; `data/` is ignored as well. */
function knowsOwnFiles({ database, log }: Settings, folder: string): (path: string) => boolean {
  const logs = [log.messageLogFile, log.errorLogFile].map((path) => {
    const parent = dirname(path)
    return parent === folder ? path.replace(/\.\w+$/, '') : `${parent}/`
  })
  const { dir, name, ext } = parse(database)
  const isOfDatabase = (path: string) => {
    const file = basename(path)
    const rest = file.slice(name.length)
    return (
      dirname(path) === dir &&
      file.startsWith(name) &&
      (rest.startsWith(ext) || rest.startsWith('-')) &&
      rest.includes(ext)
    )
  }
  return (path) => logs.some((own) => path.startsWith(own)) || isOfDatabase(path)
}

/** The sample issuer opens next: reports both ports together if both are in use. */
async function explainPorts(error: unknown, path: string, settings: Settings): Promise<unknown> {
  const gateway = explainListening(error, settings)
  if (!(gateway instanceof Failure) || !(await needsIssuer(path))) return gateway
  const issuer = explainListening(await tryListening(settings.sampleIssuerPort), settings)
  return issuer instanceof Failure ? new Failure(`${gateway.message}\n${issuer.message}`) : gateway
}

async function needsIssuer(path: string): Promise<boolean> {
  const [{ openProject }, { usesSampleIssuer }] = await Promise.all([
    import('../project/open-project.ts'),
    import('../serve/development/move-sample-issuer.ts'),
  ])
  const project = await openProject(path).catch(() => undefined)
  return project !== undefined && usesSampleIssuer(project.configuration)
}

/** @returns the error of the listener, if there is one */
function tryListening(port: number): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const server = createServer().once('error', resolve)
  server.listen(port, '127.0.0.1', () => server.close(() => resolve({})))
  return promise
}
