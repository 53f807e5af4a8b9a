/** A serving process of `ig dev`, as its supervisor sees it: what it says, and how it is ended (specification 14.3). */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareToSend } from '../../http/connection-source.ts'
import type { Entrance, FromWorker, ToWorker } from './messages.ts'

export interface WorkerEvents {
  readonly onMessage: (message: FromWorker, worker: WorkerProcess) => void
  readonly onConnection: (socket: Socket, entrance: Entrance) => void
  /** @param how `exit code 3`, `SIGKILL` */
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

/** How long, in milliseconds, beyond the grace time a process may take. */
const lastWords = 5_000

export function startWorker({ onMessage, onConnection, onExit }: WorkerEvents): WorkerProcess {
  // Compiled, this file and the worker end in .js
  const file = fileURLToPath(new URL(`./worker${extname(import.meta.url)}`, import.meta.url))
  const child = fork(file, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const { promise: retired, resolve: retire } = Promise.withResolvers<void>()
  let cut: NodeJS.Timeout | undefined
  const worker: WorkerProcess = {
    ended,
    retired,
    say: (message) => send(child, message),
    give(socket, entrance) {
      prepareToSend(socket)
      send(child, { kind: 'connection', entrance }, socket)
    },
    stop(grace) {
      send(child, { kind: 'stop' })
      cut ??= setTimeout(() => child.kill('SIGKILL'), grace + lastWords)
    },
    kill: () => void child.kill('SIGKILL'),
  }
  child.on('message', (message: FromWorker, socket?: Socket) => {
    if (message.kind === 'done') child.disconnect()
    else if (message.kind === 'retired') retire()
    else if (message.kind !== 'connection') onMessage(message, worker)
    else if (socket) onConnection(socket, message.entrance)
  })
  child.on('error', () => {}) // told by its exit
  child.once('exit', (code, signal) => {
    clearTimeout(cut)
    resolve()
    retire()
    onExit(signal ?? `exit code ${code}`, worker)
  })
  return worker
}

/** A process that has just ended hears nothing; its exit is told besides. */
function send(child: ChildProcess, message: ToWorker, socket?: Socket): void {
  if (!child.connected) return void socket?.destroy()
  child.send(message, socket, {}, (error) => {
    if (error) socket?.destroy()
  })
}
