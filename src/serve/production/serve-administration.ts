/**
 * The process of `ig start` that serves administration beside several workers, and takes no calls: what keeps its event
 * loop for long, such as the validation of a large draft, keeps nobody waiting (specification 18.31).
 */

import { toAll } from '../../model/observation.ts'
import { openLogs } from '../../observe/open-logs.ts'
import { openStandardOutput } from '../../observe/standard-output.ts'
import { openHandlerCheck } from '../../project/check-handlers/check-handlers.ts'
import { openHandlers, openProject } from '../../project/open-project.ts'
import type { ReadSettings } from '../../settings.ts'
import { listSecretFiles } from '../../tls/key-file.ts'
import { countElsewhere, openMeasuring } from '../measure.ts'
import { openAdministration, tellAdministration } from '../open-administration.ts'
import { openPipeline } from '../open-gateway.ts'
import { openMonitoring } from '../open-monitoring.ts'
import { runUntilStopped } from '../run-until-stopped.ts'
import { tellStopping } from './serve-project.ts'
import { countProcesses, type WorkerRole } from './worker-role.ts'

export async function serveAdministration(folder: string, settings: ReadSettings, worker: WorkerRole): Promise<void> {
  const project = await openProject(folder)

  await using opened = new AsyncDisposableStack()
  const output = openStandardOutput()
  opened.defer(output.close)
  const logs = openLogs(settings, output, { worker: worker.number })
  opened.defer(logs.close)
  const monitor = openMonitoring({ settings, observe: logs.observe, worker })
  opened.defer(monitor.close)
  const measuring = openMeasuring(settings, worker)
  opened.defer(measuring.close)
  measuring.watchCounts(() => countElsewhere(logs, output, monitor))
  const observe = toAll([logs.observe, monitor.observe, measuring.observe])
  const findHandlers = openHandlers(project)
  const processes = countProcesses(worker, settings)
  const { gateway, close: closePipeline } = await openPipeline({
    project,
    settings,
    observe,
    findHandlers,
    processes,
    lastGood: { writes: false },
  })
  opened.defer(closePipeline)
  const { host, port, tls } = settings
  const place = host.includes(':') ? `[${host}]` : host
  const url = port === undefined ? `https://${place}:${tls?.port}` : `http://${place}:${port}`
  measuring.watch(gateway)
  const shown = await measuring.show({ gateway, url, settings, sharesPort: true })
  opened.defer(shown.close)
  const { metrics } = shown
  const facts = {
    opened: { gateway, url },
    project,
    settings,
    observe,
    checkHandlers: openHandlerCheck({
      project,
      handlerFolders: settings.handlerFolders,
      hidden: listSecretFiles(settings),
    }),
    monitor: monitor.store,
    sharesPort: true,
    metrics,
  }
  const administration = await openAdministration({ ...facts, output: worker.isQuiet ? undefined : process.stderr })
  if (administration) opened.defer(administration.close)

  await runUntilStopped({
    observe,
    grace: settings.limits.shutdownGrace,
    signals: ['SIGTERM'],
    told: worker.stop,
    onFault: worker.onLeave,
    afterFault: 'This process of administration ends, and another one takes its place.',
    onReady() {
      const places = [
        ...(administration ? [`administration at ${administration.url}`] : []),
        ...(shown.url === undefined ? [] : [`metrics at ${shown.url}`]),
      ]
      if (places.length > 0) {
        const message = `Serving ${places.join(' and ')}.`
        observe({ kind: 'event', level: 'information', name: 'started', message })
        if (administration && !worker.isQuiet)
          process.stderr.write(`ig: administration at ${tellAdministration(administration)}\n`)
      }
      if (shown.url !== undefined && !worker.isQuiet) process.stderr.write(`ig: metrics at ${shown.url}\n`)
      worker.onReady([])
    },
    onStop: () => tellStopping(observe, worker),
    close: () => opened.disposeAsync(),
  })
}
