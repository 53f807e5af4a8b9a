/** Inherits the listening sockets of the replaced worker, and hands them to the successor (specification 17.4). */
import type { Server, Socket } from 'node:net'
import type { Heir, Inherit } from '../../http/hand-over.ts'
import type { ToSupervisor, ToWorker } from './worker-messages.ts'

export interface OpenHeritage {
  /** The sockets of this worker, for its successor. */
  listeners: readonly Server[]
  readonly inherit: Inherit
  /** @returns false if the message is about something else */
  receive(message: ToWorker, handle: unknown): boolean
}

export function openHeritage(send: (message: ToSupervisor, listener?: Server) => void): OpenHeritage {
  let heir: Heir | undefined
  const received = Promise.withResolvers<void>()
  const heritage: OpenHeritage = {
    listeners: [],
    inherit(own) {
      heir = own
      send({ kind: 'inherits' })
      return received.promise
    },
    receive(message, handle) {
      if (message.kind === 'listening') heir?.listen(message.at, handle as Server)
      else if (message.kind === 'connection') heir?.take(message.at, handle as Socket)
      else if (message.kind === 'handedOver') received.resolve()
      else if (message.kind === 'handOver') {
        for (const [at, listener] of heritage.listeners.entries()) send({ kind: 'listening', at }, listener)
        send({ kind: 'handedOver' })
      } else return false
      return true
    },
  }
  return heritage
}
