/**
 * A listening socket on its way from a worker to its successor (specification 17.4). Node begins to accept on it wherever
 * it arrives, so what is accepted here goes the same way; nothing of it is read.
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { ToWorker } from './worker-messages.ts'

export interface Successor {
  /** The handle is closed here. */
  give(message: ToWorker, handle: Server | Socket): void
}

export function relaySocket(received: Server, at: number, to: Successor): void {
  const relay = createServer({ pauseOnConnect: true }, (socket) => to.give({ kind: 'connection', at }, socket))
  relay.listen(received)
  to.give({ kind: 'listening', at }, relay)
}
