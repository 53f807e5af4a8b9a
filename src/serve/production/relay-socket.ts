/**
 * Passes a listening socket from a worker to its successor (specification 17.4). Node accepts connections in every process
 * that receives the socket, so connections accepted here are passed on too, unread.
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { ToWorker } from './worker-messages.ts'

export interface Successor {
  /** Closes the handle in this process. */
  give(message: ToWorker, handle: Server | Socket): void
}

export function relaySocket(received: Server, at: number, to: Successor): void {
  const relay = createServer({ pauseOnConnect: true }, (socket) => to.give({ kind: 'connection', at }, socket))
  relay.listen(received)
  to.give({ kind: 'listening', at }, relay)
}
