/** Sockets that one process hands over to another (specification 14.3, 17.4). */
import type { Server, Socket } from 'node:net'

/**
 * Connections that another process accepts, and gets back while they are idle: so `ig dev` replaces the process that
 * serves, and no connection notices.
 */
export interface ConnectionSource {
  /** Where the other process listens. */
  readonly url: string
  readonly tlsUrl: string | undefined
  /** Called once, when calls can be taken. */
  start(take: (socket: Socket, isSecure: boolean) => void): void
  /** A connection of which nothing was read since its last call. Fulfilled when that is known there. */
  giveBack(socket: Socket): Promise<void>
  /** Called once, when the stop has given back what it could: no further call begins here, save on connections within one. */
  retired(): void
}

/** Where a worker is replaced, its successor listens on the same sockets: no connection that waits to be accepted is reset. */
export interface Heir {
  /** Its listener with this number takes the socket of the server over, and what comes to it from then on. */
  listen(at: number, received: Server): void
  /** Accepted on the way. */
  take(at: number, socket: Socket): void
}

/** Fulfilled when everything has come; an heir that got nothing opens sockets of its own. */
export type Inherit = (heir: Heir) => Promise<void>
