/**
 * Listening sockets of the process before: where a worker is replaced, its successor listens on the same ones, so that
 * no connection that waits to be accepted is reset (specification 17.4).
 */
import type { Server, Socket } from 'node:net'

export interface Heir {
  /** Its listener with this number takes the socket of the server over, and what comes to it from then on. */
  listen(at: number, received: Server): void
  /** Accepted on the way. */
  take(at: number, socket: Socket): void
}

/** Fulfilled when everything has come; an heir that got nothing opens sockets of its own. */
export type Inherit = (heir: Heir) => Promise<void>
