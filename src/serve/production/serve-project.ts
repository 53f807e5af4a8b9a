/**
 * The processes of `ig start` that serve a project: the only one, or a worker, or the one that serves administration for
 * several workers (specification 9.14, 17.1, 18.31).
 */
import { isLoopback } from '../../base/loopback.ts'
import { findWarnings } from '../../configuration/find-warnings.ts'
import { formatProblem } from '../../model/problem.ts'
import { requireSettingsOf } from '../../project/check-settings.ts'
import { openHandlers, openProject, type Project } from '../../project/open-project.ts'
import type { ReadSettings, Settings } from '../../settings.ts'
import type { Store } from '../../store/store.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { warn } from '../../terminal/print.ts'
import { describeDrift } from '../describe-drift.ts'
import { describeAdministration } from '../open-administration.ts'
import type { OpenGateway } from '../open-gateway.ts'
import { type OpenProcess, openProcess } from '../open-process.ts'
import { findSamplePasswords } from '../sample-operators.ts'
import { runUntilStopped } from '../stop.ts'
import { countProcesses, type WorkerRole } from './worker-messages.ts'

/** @param isNewDatabase from `--new` and `--no-new` */
export async function serveProject(
  folder: string,
  settings: ReadSettings,
  worker?: WorkerRole,
  isNewDatabase = worker?.isNewDatabase,
): Promise<void> {
  const project = await openProject(folder)
  if (isNewDatabase) requireSettingsOf(settings, project.configuration) // refused before the database is made
  const printsMessages = !worker?.isQuiet

  const instance = await openProcess({
    project,
    settings,
    worker,
    runsJobs: true,
    administration: worker ? undefined : { output: process.stderr },
    gateway: {
      findHandlers: openHandlers(project),
      shedsLoad: true,
      isNewDatabase,
      logsAuditHead: worker === undefined || worker.number === 1,
      prepare: (store) => refuseSamplePasswords(store, project, settings, printsMessages),
      ...(worker && { processes: countProcesses(worker, settings), takeOver: worker.takeOver }),
    },
  })
  const { opened } = instance

  const places = [...new Set([opened.url, opened.tlsUrl ?? opened.url])].join(' and ')
  await serve(instance, settings, worker, {
    what: `revision ${opened.gateway.catalog.revision} at ${places}`,
    nameForSupervisor: 'worker',
    print() {
      const processes = worker ? ` with ${worker.count} workers` : ''
      process.stderr.write(`ig: serving ${project.folder} at ${places}${processes}\n`)
      reportLastGood(opened)
      reportRevision(opened, project, folder, settings)
      reportMissingOperators(opened, folder)
    },
  })
}

/** Takes no calls: long tasks on its event loop, such as the validation of a large draft, delay none. */
export async function serveAdministration(folder: string, settings: ReadSettings, worker: WorkerRole): Promise<void> {
  const project = await openProject(folder)
  const instance = await openProcess({
    project,
    settings,
    worker,
    servesCalls: false,
    administration: { output: worker.isQuiet ? undefined : process.stderr },
    gateway: { findHandlers: openHandlers(project), processes: countProcesses(worker, settings) },
  })
  const { administration, listens } = instance
  const places = [...(administration ? [`administration at ${administration.url}`] : []), ...listens]
  await serve(instance, settings, worker, { what: places.join(' and '), nameForSupervisor: 'administration process' })
}

interface ServingRole {
  /** Empty if nothing could be opened. */
  readonly what: string
  /** In messages, if it has a supervisor. */
  readonly nameForSupervisor: string
  /** Further messages for people. */
  readonly print?: () => void
}

async function serve(
  { observe, opened, administration, listens, close }: OpenProcess,
  settings: ReadSettings,
  worker: WorkerRole | undefined,
  { what, nameForSupervisor, print }: ServingRole,
): Promise<void> {
  const log = (level: 'information' | 'warning', name: string, message: string) =>
    observe({ kind: 'event', level, name, message })
  await runUntilStopped({
    observe,
    grace: settings.limits.shutdownGrace,
    supervised: worker && { name: nameForSupervisor, signals: ['SIGTERM'], stop: worker.stop, onLeave: worker.onLeave },
    onReady() {
      if (what !== '') log('information', 'started', `Serving ${what}.`)
      if (!worker?.isQuiet) {
        print?.()
        if (administration) process.stderr.write(`ig: administration at ${describeAdministration(administration)}\n`)
        for (const place of listens) process.stderr.write(`ig: ${place}\n`)
      }
      worker?.onReady(opened.listeners)
    },
    onStop() {
      const reason = worker?.stop.reason
      if (typeof reason === 'string') log('warning', 'supervisorGone', reason)
      log('information', 'stopping', 'Stopping.')
    },
    close,
  })
}

/** A database that `ig dev` used has operators with public passwords. */
async function refuseSamplePasswords(
  store: Store,
  project: Project,
  settings: Settings,
  printsMessages: boolean,
): Promise<void> {
  const ids = await findSamplePasswords(store, project.sampleOperators)
  if (ids.length === 0) return
  const message = `${ids.join(', ')} of this database ${ids.length === 1 ? 'has its' : 'have their'} sample password, which is public in the project`
  if (isLoopback(settings.host)) return printsMessages ? warn(`${message}.`) : undefined
  throw new Failure(
    `${message}; ig start does not serve them on ${settings.host}.\n` +
      'Lock them (ig operator lock <id>), change their passwords (ig operator set-password <id>),\n' +
      'or use another database (ig.database).',
  )
}

function reportLastGood({ gateway: { condition } }: OpenGateway): void {
  if (condition.lastGood === undefined) return
  warn(
    `the database is not available. Calls are served from the last-good copy of ${new Date(condition.lastGood).toISOString()}; those that need the database get 503 until it answers.`,
  )
}

/** The active revision is in the store; the files may differ. */
function reportRevision(
  { gateway, hasMadeRevision }: OpenGateway,
  { configuration }: Project,
  folder: string,
  settings: Settings,
): void {
  const { revision } = gateway.catalog
  for (const warning of findWarnings(gateway.catalog.configuration, settings)) warn(formatProblem(warning))
  const made = "created from the project's files, because the store had none"
  process.stderr.write(`ig: revision ${revision} is active${hasMadeRevision ? `: ${made}` : ''}\n`)
  const drift = describeDrift(gateway.catalog, configuration, folder)
  if (drift !== undefined) warn(drift)
}

function reportMissingOperators({ gateway }: OpenGateway, folder: string): void {
  const { operators, catalog } = gateway
  const { anonymousOperatorId } = catalog
  const project = folder === '.' ? '' : ` --project ${folder}`
  if (operators.size === 0) {
    const list = [...catalog.permissionLists.keys()][0] ?? '<name>'
    warn(
      `there are no operators yet, so every call is refused. Add the first:\n  ig operator add <id> --permission-list ${list}${project}`,
    )
  } else if (anonymousOperatorId !== undefined && !operators.has(anonymousOperatorId)) {
    warn(
      `${anonymousOperatorId}, the ANONYMOUS node's default user, is not an operator: calls without credentials are refused.`,
    )
  }
}
