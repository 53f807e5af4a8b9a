/** A worker for its supervisor: the process, its last report, and how it ended (specification 17.2, 17.3). */

import { findNode } from '../../base/find-node.ts'
import { startProcess } from '../../base/start-process.ts'
import type { ListeningSocket } from '../../http/listening-socket.ts'
import type { LineOutput } from '../../observe/line-log.ts'
import type { Report } from '../../observe/metrics/report.ts'
import type { ReportMessage, ToSupervisor, ToWorker } from './worker-messages.ts'

export interface WorkerProcess {
  readonly number: number
  /** Undefined if it could not be started. */
  readonly pid: number | undefined
  /** False if it ended before. */
  readonly ready: Promise<boolean>
  /** The reason of its end, for the log. */
  readonly ended: Promise<string>
  /** It is stopping, by itself or on request. */
  readonly isLeaving: boolean
  readonly isReady: boolean
  /** Why it cannot serve, if it reported so: then standard error has it. */
  readonly failure: string | undefined
  /**
   * Its listening sockets, for a successor; closed when it leaves, because no process would accept their waiting
   * connections.
   */
  readonly sockets: readonly number[]
  /** `performance.now()`; restarts the limit. */
  lastHeard: number
  /** For the process of administration: the counters of all processes. */
  send(message: ReportMessage): void
  /** Running calls finish, then it ends. */
  stop(): void
  kill(): void
}

export interface WorkerStart {
  readonly number: number
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Options of Node. */
  readonly execArgv: readonly string[]
  /** Of the worker that it replaces. */
  readonly sockets: readonly number[]
  /** Whole lines, however many processes write. */
  readonly output: LineOutput
  readonly onLeaving: (worker: WorkerProcess) => void
  readonly onReport: (report: Report) => void
}

export function startWorkerProcess(start: WorkerStart): WorkerProcess {
  const { number, args, env, output, onLeaving, onReport } = start
  const ready = Promise.withResolvers<boolean>()
  let failure: string | undefined
  let held: ListeningSocket[] = []
  const release = () => {
    for (const socket of held) socket.close()
    held = []
  }
  const child = startProcess<ToWorker, ToSupervisor>({
    file: process.argv[1] ?? '',
    args: [...args, '--inherited', `${start.sockets.length}`],
    execPath: findNode(),
    execArgv: start.execArgv,
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc', ...start.sockets],
    onOutput: forwardLines(output),
    onMessage(message, socket) {
      worker.lastHeard = performance.now()
      if (message.kind === 'listening') {
        held.push(socket as ListeningSocket)
        if (worker.isLeaving) release()
      }
      if (message.kind === 'failed') failure = `cannot serve: ${message.reason}`
      if (message.kind === 'ready') {
        worker.isReady = true
        ready.resolve(true)
      }
      if (message.kind === 'report') onReport(message.report)
      if (message.kind === 'leaving' && !worker.isLeaving) {
        worker.isLeaving = true
        release()
        onLeaving(worker)
      }
    },
  })
  const worker = {
    number,
    pid: child.pid,
    ready: ready.promise,
    ended: child.ended.then((how) => {
      release()
      ready.resolve(false)
      return failure ?? how
    }),
    isLeaving: false,
    isReady: false,
    get sockets() {
      return held.map(({ fd }) => fd)
    },
    get failure() {
      return failure
    },
    lastHeard: performance.now(),
    send: child.say,
    stop() {
      worker.isLeaving = true
      release()
      child.say({ kind: 'stop' })
    },
    kill: child.kill,
  }
  return worker
}

/** Lines of several processes on one pipe may interleave, so only the supervisor writes. */
function forwardLines(output: LineOutput): (chunk: Buffer) => void {
  let rest: Buffer[] = []
  return (chunk) => {
    const end = chunk.lastIndexOf(0x0a) + 1
    if (end === 0) return void rest.push(chunk)
    output.write(Buffer.concat([...rest, chunk.subarray(0, end)]).toString())
    rest = end < chunk.length ? [chunk.subarray(end)] : []
  }
}
