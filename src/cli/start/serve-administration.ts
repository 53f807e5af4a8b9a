/**
 * The process of `ig start` that serves administration beside several workers, and takes no calls: what keeps its event
 * loop for long, such as the validation of a large draft, keeps nobody waiting (specification 18.31).
 */
import { openLogs } from '../../observe/open-logs.ts'
import { openStandardOutput } from '../../observe/standard-output.ts'
import { openPipeline } from '../../open-gateway.ts'
import { openHandlers, openProject } from '../../project.ts'
import type { ReadSettings } from '../../settings.ts'
import { openAdministration, tellAdministration } from '../open-administration.ts'
import { runUntilStopped } from '../run-until-stopped.ts'
import { countProcesses, tellStopping, type WorkerRole } from './serve-project.ts'

export async function serveAdministration(folder: string, settings: ReadSettings, worker: WorkerRole): Promise<void> {
  const project = await openProject(folder)

  await using opened = new AsyncDisposableStack()
  const output = openStandardOutput()
  opened.defer(output.close)
  const { observe, close } = openLogs(settings, output, { worker: worker.number })
  opened.defer(close)
  const findHandlers = openHandlers(project)
  const processes = countProcesses(worker, settings)
  const { gateway, close: closePipeline } = await openPipeline({ project, settings, observe, findHandlers, processes })
  opened.defer(closePipeline)
  const { host, port } = settings
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const facts = { opened: { gateway, url }, project, settings, observe, findHandlers, sharesPort: true }
  const administration = await openAdministration({ ...facts, invites: !worker.isQuiet })
  if (administration) opened.defer(administration.close)

  await runUntilStopped({
    observe,
    signals: ['SIGTERM'],
    told: worker.stop,
    onFault: worker.onLeave,
    onReady() {
      if (administration) {
        const message = `Serving administration at ${administration.url}.`
        observe({ kind: 'event', level: 'information', name: 'started', message })
        if (!worker.isQuiet) process.stderr.write(`ig: administration at ${tellAdministration(administration)}\n`)
      }
      worker.onReady([])
    },
    onStop: () => tellStopping(observe, worker),
    close: () => opened.disposeAsync(),
  })
}
