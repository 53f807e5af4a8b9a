/** A serving process of `ig dev`, as its supervisor sees it: what it says, and how it is ended (specification 14.3). */
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closingTime } from '../../base/end-process.ts'
import { findNode } from '../../base/find-node.ts'
import { startProcess } from '../../base/start-process.ts'
import { prepareToSend } from '../../http/connection-source.ts'
import type { Entrance, FromWorker, ToWorker } from './messages.ts'

export interface WorkerEvents {
  readonly onMessage: (message: FromWorker, worker: WorkerProcess) => void
  readonly onConnection: (socket: Socket, entrance: Entrance) => void
  /** @param how `ended with exit code 3` */
  readonly onExit: (how: string, worker: WorkerProcess) => void
}

export interface WorkerProcess {
  readonly ended: Promise<void>
  /** No further call begins there. */
  readonly retired: Promise<void>
  say(message: ToWorker): void
  /** Hands a connection over, with all that its client sends. */
  give(socket: Socket, entrance: Entrance): void
  /** In order; what has not ended a while after the grace time is ended. */
  stop(grace: number): void
  kill(): void
}

export function startWorker({ onMessage, onConnection, onExit }: WorkerEvents): WorkerProcess {
  const { promise: retired, resolve: retire } = Promise.withResolvers<void>()
  let cut: NodeJS.Timeout | undefined
  const child = startProcess<ToWorker, FromWorker>({
    file: fileURLToPath(new URL(`./worker${extname(import.meta.url)}`, import.meta.url)), // compiled, it ends in .js
    args: [],
    execPath: findNode(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    onMessage(message, socket) {
      if (message.kind === 'done') child.disconnect()
      else if (message.kind === 'retired') retire()
      else if (message.kind !== 'connection') onMessage(message, worker)
      else if (socket) onConnection(socket as Socket, message.entrance)
    },
  })
  const worker: WorkerProcess = {
    retired,
    ended: child.ended.then((how) => {
      clearTimeout(cut)
      retire()
      onExit(how, worker)
    }),
    say: child.say,
    give(socket, entrance) {
      prepareToSend(socket)
      child.say({ kind: 'connection', entrance }, socket)
    },
    stop(grace) {
      child.say({ kind: 'stop' })
      cut ??= setTimeout(child.kill, grace + closingTime)
    },
    kill: child.kill,
  }
  return worker
}
