/** A serving process of `ig dev` for its reloader: its messages, and its end (specification 14.3). */

import type { Socket } from 'node:net'
import { findNode } from '../../base/find-node.ts'
import { packageModule, useBundled } from '../../base/package-files.ts'
import { startProcess } from '../../base/start-process.ts'
import { setTimeout } from '../../base/timers.ts'
import { closingTime } from '../stop.ts'
import type { Entrance, FromServer, ToServer } from './server-messages.ts'

export interface ServerEvents {
  readonly onMessage: (message: FromServer, server: ServerProcess) => void
  readonly onConnection: (socket: Socket, entrance: Entrance) => void
  /** @param how `ended with exit code 3` */
  readonly onExit: (how: string, server: ServerProcess) => void
}

export interface ServerProcess {
  readonly ended: Promise<void>
  /** No further call begins there. */
  readonly retired: Promise<void>
  send(message: ToServer): void
  /** Hands over a connection with all data of its client. */
  give(socket: Socket, entrance: Entrance): void
  /** Stops gracefully; kills it some time after the grace period. */
  stop(grace: number): void
  kill(): void
}

export function spawnServer({ onMessage, onConnection, onExit }: ServerEvents): ServerProcess {
  const { promise: retired, resolve: retire } = Promise.withResolvers<void>()
  /** Connections of the server. Nothing is read from them here; they stay open until it reports them closed, or releases them. */
  const connections = new Map<number, { readonly socket: Socket; readonly entrance: Entrance }>()
  let given = 0
  let cut: NodeJS.Timeout | undefined
  const child = startProcess<ToServer, FromServer>({
    file: packageModule('serve/development/server'),
    args: [],
    execPath: findNode(),
    execArgv: [...process.execArgv, '--import', useBundled],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    onMessage(message) {
      if (message.kind === 'done') child.disconnect()
      else if (message.kind === 'retired') retire()
      else if (message.kind === 'released' || message.kind === 'closed') {
        const given = connections.get(message.id)
        connections.delete(message.id)
        if (message.kind === 'closed') given?.socket.destroy()
        else if (given) onConnection(given.socket, given.entrance)
      } else onMessage(message, server)
    },
  })
  const server: ServerProcess = {
    retired,
    ended: child.ended.then((how) => {
      clearTimeout(cut)
      retire()
      for (const { socket } of connections.values()) socket.destroy()
      onExit(how, server)
    }),
    send: child.send,
    give(socket, entrance) {
      const id = ++given
      connections.set(id, { socket, entrance })
      child.send({ kind: 'connection', entrance, id }, socket)
    },
    stop(grace) {
      child.send({ kind: 'stop' })
      cut ??= setTimeout(child.kill, grace + closingTime)
    },
    kill: child.kill,
  }
  return server
}
