/**
 * The process of `ig start` that serves administration for several workers, and takes no calls: long tasks on its event
 * loop, such as the validation of a large draft, delay no call (specification 18.31).
 */

import { openHandlers, openProject } from '../../project/open-project.ts'
import type { ReadSettings } from '../../settings.ts'
import { describeAdministration } from '../open-administration.ts'
import { openInstance } from '../open-instance.ts'
import { runUntilStopped } from '../run-until-stopped.ts'
import { reportStopping } from './serve-project.ts'
import { countProcesses, type WorkerRole } from './worker-messages.ts'

export async function serveAdministration(folder: string, settings: ReadSettings, worker: WorkerRole): Promise<void> {
  const project = await openProject(folder)

  const { observe, administration, listens, close } = await openInstance({
    project,
    settings,
    worker,
    servesCalls: false,
    administration: { output: worker.isQuiet ? undefined : process.stderr },
    gateway: {
      findHandlers: openHandlers(project),
      processes: countProcesses(worker, settings),
    },
  })

  await runUntilStopped({
    observe,
    grace: settings.limits.shutdownGrace,
    signals: ['SIGTERM'],
    stopRequested: worker.stop,
    onUncaught: worker.onLeave,
    afterUncaught: 'The administration process ends and is restarted.',
    onReady() {
      const places = [...(administration ? [`administration at ${administration.url}`] : []), ...listens]
      if (places.length > 0) {
        const message = `Serving ${places.join(' and ')}.`
        observe({ kind: 'event', level: 'information', name: 'started', message })
        if (administration && !worker.isQuiet)
          process.stderr.write(`ig: administration at ${describeAdministration(administration)}\n`)
      }
      if (!worker.isQuiet) for (const place of listens) process.stderr.write(`ig: ${place}\n`)
      worker.onReady([])
    },
    onStop: () => reportStopping(observe, worker),
    close,
  })
}
