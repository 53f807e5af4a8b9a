/** A worker for its supervisor: the process, its last report, and how it ended (specification 17.2, 17.3). */

import { createServer, type Server, type Socket } from 'node:net'
import { findNode } from '../../base/find-node.ts'
import { startProcess } from '../../base/start-process.ts'
import type { LineOutput } from '../../observe/line-log.ts'
import type { Report, ReportMessage } from '../../observe/metrics/report.ts'
import type { AdministrationOpened, ToSupervisor, ToWorker } from './worker-messages.ts'

export interface WorkerProcess {
  readonly number: number
  /** Undefined if it could not be started. */
  readonly pid: number | undefined
  /** False if it ended before. */
  readonly ready: Promise<boolean>
  /** The reason of its end, for the log. */
  readonly ended: Promise<string>
  /** It is stopping, on its own or on request. */
  readonly isStopping: boolean
  readonly isReady: boolean
  /** Why it cannot serve, if it reported so: then standard error has it. */
  readonly failure: string | undefined
  /** `performance.now()`; restarts the limit. */
  lastMessage: number
  /** For the process of administration the counters of all processes; for the others, that it was opened. */
  send(message: ReportMessage | AdministrationOpened): void
  /** Gives a successor its listening sockets; nothing if it has ended. */
  handOver(successor: Successor): void
  /** Running calls finish, then it ends. */
  stop(): void
  kill(): void
}

export interface SocketTarget {
  /** Closes the handle in this process. */
  give(message: ToWorker, handle: Server | Socket): void
}

/** Another worker, or one of the messages for it. */
interface Successor extends SocketTarget {
  send(message: ToWorker): void
}

export interface WorkerStart {
  readonly number: number
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Hands its listening sockets over to this one. */
  readonly replaces: WorkerProcess | undefined
  /** Writes whole lines, even if several processes write. */
  readonly output: LineOutput
  readonly onLeaving: (worker: WorkerProcess) => void
  readonly onReport: (report: Report) => void
}

export function spawnWorker(start: WorkerStart): WorkerProcess {
  const { number, args, env, replaces, output, onLeaving, onReport } = start
  const ready = Promise.withResolvers<boolean>()
  let failure: string | undefined
  let successor: Successor | undefined
  let hasEnded = false
  const child = startProcess<ToWorker, ToSupervisor>({
    file: process.argv[1] ?? '',
    args: [...args, ...(replaces ? ['--inherits'] : [])],
    execPath: findNode(),
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    onOutput: forwardLines(output),
    onMessage(message, handle) {
      worker.lastMessage = performance.now()
      if (message.kind === 'inherits') replaces?.handOver(child)
      if (message.kind === 'listening' && successor && handle) relaySocket(handle as Server, message.at, successor)
      if (message.kind === 'handedOver') successor?.send(message)
      if (message.kind === 'failed') failure = `cannot serve: ${message.reason}`
      if (message.kind === 'ready') {
        worker.isReady = true
        ready.resolve(true)
      }
      if (message.kind === 'report') onReport(message.report)
      if (message.kind === 'leaving' && !worker.isStopping) {
        worker.isStopping = true
        onLeaving(worker)
      }
    },
  })
  const worker = {
    number,
    pid: child.pid,
    ready: ready.promise,
    ended: child.ended.then((how) => {
      hasEnded = true
      successor?.send({ kind: 'handedOver' })
      ready.resolve(false)
      return failure ?? how
    }),
    isStopping: false,
    isReady: false,
    get failure() {
      return failure
    },
    lastMessage: performance.now(),
    send: child.send,
    handOver(next: Successor) {
      successor = next
      if (hasEnded) successor.send({ kind: 'handedOver' })
      else child.send({ kind: 'handOver' })
    },
    stop() {
      worker.isStopping = true
      child.send({ kind: 'stop' })
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

/**
 * Passes a listening socket to another process (specification 17.4). Node accepts connections in every process that
 * receives it, so those accepted here are passed on too, unread.
 */
export function relaySocket(received: Server, at: number, to: SocketTarget): void {
  const relay = createServer({ pauseOnConnect: true }, (socket) => to.give({ kind: 'connection', at }, socket))
  relay.listen(received)
  to.give({ kind: 'listening', at }, relay)
}
