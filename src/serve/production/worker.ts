/**
 * A process that `ig start` starts (specification 17.1, 17.4): follows its supervisor, and serves calls or administration
 * meanwhile.
 */
import type { Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setInterval } from '../../base/timers.ts'
import type { HandoverTarget, TakeOver } from '../../http/hand-over.ts'
import type { ReportMessage } from '../../observe/metrics/report.ts'
import { startWriterThreads } from '../../store/sqlite/writer-threads.ts'
import { explainFailure, Failure } from '../../terminal/explain-failure.ts'
import { readServedSettings } from '../../terminal/project-options.ts'
import { serveAdministration, serveProject } from './serve-project.ts'
import { administrationNumber, aliveInterval, type ToSupervisor, type ToWorker } from './worker-messages.ts'

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

/** Ends a start, which may hang: this process would keep the port that it has inherited. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}

export async function runWorker(folder: string, options: WorkerOptions): Promise<void> {
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
  const handover = openHandover(send)
  process.on('message', (message: ToWorker, handle) => {
    if (message.kind === 'stop' && !isServing) endAtOnce()
    else if (message.kind === 'stop') stopping.abort(true)
    else if (message.kind === 'administrationOpened') administrationOpened.resolve()
    else if (!handover.receive(message, handle)) receive(message as ReportMessage)
  })
  const onGone = () => {
    if (!isServing) endAtOnce()
    stopping.abort('The supervisor has ended; this worker finishes its calls and ends.')
  }
  process.once('disconnect', onGone)
  const supervisor = process.ppid
  // Node reports no disconnection until the supervisor has confirmed a socket that it was sent.
  const checkSupervisor = () => {
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
    alive = setInterval(checkSupervisor, aliveInterval)
    const number = Number(options.number)
    const serveRole = number === administrationNumber ? serveAdministration : serveProject
    await serveRole(folder, settings, {
      number,
      count: Number(options.count),
      isQuiet: options.quiet,
      isNewDatabase: options.new,
      takeOver: options.inherits ? handover.takeOver : undefined,
      administrationOpened: administrationOpened.promise,
      stop: stopping.signal,
      onReady(opened) {
        isServing = true
        handover.listeners = opened
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

/** The listening sockets: inherited from the replaced worker, and handed to the successor (specification 17.4). */
interface OpenHandover {
  /** The sockets of this worker, for its successor. */
  listeners: readonly Server[]
  readonly takeOver: TakeOver
  /** @returns false if the message is about something else */
  receive(message: ToWorker, handle: unknown): boolean
}

function openHandover(send: (message: ToSupervisor, listener?: Server) => void): OpenHandover {
  let target: HandoverTarget | undefined
  const received = Promise.withResolvers<void>()
  const handover: OpenHandover = {
    listeners: [],
    takeOver(own) {
      target = own
      send({ kind: 'inherits' })
      return received.promise
    },
    receive(message, handle) {
      if (message.kind === 'listening') target?.listen(message.at, handle as Server)
      else if (message.kind === 'connection') target?.take(message.at, handle as Socket)
      else if (message.kind === 'handedOver') received.resolve()
      else if (message.kind === 'handOver') {
        for (const [at, listener] of handover.listeners.entries()) send({ kind: 'listening', at }, listener)
        send({ kind: 'handedOver' })
      } else return false
      return true
    },
  }
  return handover
}
