/** `ig start`: a project for production, in one process or in several (specification 9.14, 17.1). */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { packageFolder, runsSources } from '../base/package-files.ts'
import { formatProblem } from '../model/problem.ts'
import { claimPorts } from '../serve/production/claim-ports.ts'
import { findRoleWarnings } from '../settings/database-role.ts'
import type { Settings } from '../settings.ts'
import { isPostgres } from '../store/is-postgres.ts'
import { startWriterThreads } from '../store/sqlite/writer-threads.ts'
import { warn } from '../terminal/print.ts'
import { readServedSettings, takeProject, withProject } from '../terminal/project-options.ts'

export function start(command: Command): void {
  takeProject(command)
    .description(
      'Serves a project for production: no sample issuer, no sample operators. Serves the active revision of the ' +
        "store; the first start stores the project's files as revision 1. Writes the structured log to standard " +
        'output, one JSON object per line, and messages for people to standard error.',
    )
    .option('--host <address>', 'address to listen on (ig.host, 127.0.0.1); 0.0.0.0 for all networks')
    .option('--port <n>', 'port (ig.port, 8080)')
    .option('--admin-port <n>', 'port of administration (ig.admin.port, 8081), or off')
    .option('--workers <n>', 'processes (ig.workers; by default one per core on PostgreSQL, one on SQLite)')
    .option('--new', 'create the database, even if there was one that is missing now (SQLite)')
    .option('--no-new', 'fail if there is no database yet (SQLite), for volumes that may not be mounted')
    .addHelpText(
      'after',
      '\nSIGTERM and SIGINT stop gracefully. SIGHUP replaces the workers one by one, with the\n' +
        'current code; with one worker it stops the gateway.\n' +
        '\nExample:\n  ig start --project /srv/hr --host 0.0.0.0 --port 8080',
    )
    .action(withProject(serve))
}

interface StartOptions {
  readonly host?: string
  readonly port?: string
  readonly adminPort?: string
  readonly workers?: string
  readonly new?: boolean
}

async function serve(folder: string, { host, port, adminPort, workers, new: isNew }: StartOptions): Promise<void> {
  const overrides = { '--host': host, '--port': port, '--admin-port': adminPort, '--workers': workers }
  const settings = readServedSettings(folder, overrides)
  for (const warning of [...settings.warnings, ...findRoleWarnings(settings)]) warn(formatProblem(warning))
  if (runsSources && settings.admin && !existsSync(new URL('console/dist/index.html', packageFolder)))
    warn('the console and the documentation are not built, so they are not served. Build them: npm run build')
  const count = settings.workers.count ?? defaultCount(settings)
  const ports = count === 1 ? undefined : await claimPorts(settings)
  // Loaded when needed: a supervisor needs no code that answers calls, and a single process no supervisor
  if (ports) {
    const { supervise } = await import('../serve/production/supervisor.ts')
    return supervise({ folder, settings, count, ports, isNewDatabase: isNew })
  }
  if (count > 1) warn('this system cannot share a port between processes; the gateway uses one process (--workers 1).')
  startWriterThreads(settings.database) // while modules and project are loaded
  const { serveProject } = await import('../serve/production/serve-project.ts')
  return serveProject(folder, settings, undefined, isNew)
}

/** An SQLite file has one writer, however many processes there are. */
function defaultCount({ database }: Settings): number {
  return isPostgres(database) ? availableParallelism() : 1
}
