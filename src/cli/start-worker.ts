/** `ig start-worker`: one of the processes that `ig start` starts (specification 17.1, 17.4). */

import type { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { setInterval } from '../base/timers.ts'
import { openHeritage } from '../serve/production/heritage.ts'
import { serveAdministration } from '../serve/production/serve-administration.ts'
import { serveProject } from '../serve/production/serve-project.ts'
import {
  administration,
  aliveEvery,
  type ReportMessage,
  type ToSupervisor,
  type ToWorker,
} from '../serve/production/worker-messages.ts'
import { startWriterThreads } from '../store/sqlite/writer-threads.ts'
import { explainFailure, Failure } from '../terminal/explain-failure.ts'
import { projectArgument, readServedSettings } from '../terminal/project-options.ts'

export function startWorker(command: Command): void {
  command
    .description('One of the processes of ig start, which starts it.')
    .argument(...projectArgument)
    .requiredOption('--host <address>')
    .requiredOption('--port <n>')
    .requiredOption('--admin-port <n>')
    .requiredOption('--number <n>')
    .requiredOption('--count <n>')
    .option('--inherits', '', false)
    .option('--quiet', '', false)
    .option('--new')
    .option('--no-new')
    .action(serve)
}

/** Milliseconds for its last messages. */
const flushTime = 100

interface WorkerOptions {
  readonly host: string
  readonly port: string
  readonly adminPort: string
  readonly number: string
  readonly count: string
  readonly inherits: boolean
  readonly quiet: boolean
  readonly new?: boolean
}

/** A start may hang, and keep the inherited port. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}

async function serve(folder: string, options: WorkerOptions): Promise<void> {
  if (!process.connected) throw new Failure('Only ig start can start a worker.')
  let sent: Promise<void> | undefined
  const send = (message: ToSupervisor, listener?: Server) => {
    if (!process.connected) return // a supervisor that has ended receives nothing
    sent = new Promise((resolve) => process.send?.(message, listener, {}, () => resolve()))
  }
  const stopping = new AbortController()
  let isServing = false
  // Messages that arrive before there is a listener wait.
  let pending: ReportMessage[] | undefined = []
  let receive = (message: ReportMessage): void => void pending?.push(message)
  const administrationOpened = Promise.withResolvers<void>()
  const heritage = openHeritage(send)
  process.on('message', (message: ToWorker, handle) => {
    if (message.kind === 'stop' && !isServing) endAtOnce()
    else if (message.kind === 'stop') stopping.abort(true)
    else if (message.kind === 'administrationOpened') administrationOpened.resolve()
    else if (!heritage.receive(message, handle)) receive(message as ReportMessage)
  })
  const onGone = () => {
    if (!isServing) endAtOnce()
    stopping.abort('The supervisor has ended; this worker finishes its calls and ends.')
  }
  process.once('disconnect', onGone)
  const supervisor = process.ppid
  // Node reports no disconnection until the supervisor has confirmed a socket that it was sent.
  const lookForSupervisor = () => {
    if (process.connected && process.ppid === supervisor) send({ kind: 'alive' })
    else onGone()
  }
  // A terminal sends signals to every process of its group; the supervisor decides.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

  let alive: NodeJS.Timeout | undefined
  try {
    const { host, port, adminPort } = options
    const settings = readServedSettings(folder, { '--host': host, '--port': port, '--admin-port': adminPort })
    startWriterThreads(settings.database)
    alive = setInterval(lookForSupervisor, aliveEvery(settings.workers.stallTimeout))
    const number = Number(options.number)
    const serveRole = number === administration ? serveAdministration : serveProject
    await serveRole(folder, settings, {
      number,
      count: Number(options.count),
      isQuiet: options.quiet,
      isNewDatabase: options.new,
      inherit: options.inherits ? heritage.inherit : undefined,
      administrationOpened: administrationOpened.promise,
      stop: stopping.signal,
      onReady(opened) {
        isServing = true
        heritage.listeners = opened
        send({ kind: 'ready' })
      },
      onLeave: () => send({ kind: 'leaving' }),
      report: (report) => send({ kind: 'report', report }),
      onReports(listener) {
        receive = listener
        for (const message of pending ?? []) listener(message)
        pending = undefined
      },
    })
  } catch (error) {
    send({ kind: 'failed', reason: explainFailure(error) })
    if (!options.quiet) throw error
    process.exitCode = 1
  } finally {
    clearInterval(alive)
    process.off('disconnect', onGone)
    await Promise.race([sent, sleep(flushTime, undefined, { ref: false })])
  }
}
