/** Contracts for handing sockets over to another process (specification 14.3, 17.4). */
import type { Server, Socket } from 'node:net'

/**
 * Connections that another process accepts and takes back while they are idle. `ig dev` uses it to replace the serving
 * process without closing connections.
 */
export interface ConnectionSource {
  /** Where the other process listens. */
  readonly url: string
  readonly tlsUrl: string | undefined
  /** Called once, when this process can answer calls. */
  start(take: (socket: Socket, isSecure: boolean) => void): void
  /** Gives back a connection of which nothing was read since its last call. Resolves when the other process has it. */
  giveBack(socket: Socket): Promise<void>
  /** Called once, after the idle connections were given back: only connections with a call remain here. */
  retired(): void
}

/** The successor of a replaced worker. It listens on the same sockets, so no waiting connection is reset. */
export interface HandoverTarget {
  /** Listener number `at` takes over the socket of the server. */
  listen(at: number, received: Server): void
  /** A connection that was accepted during the hand-over. */
  take(at: number, socket: Socket): void
}

/** Resolves when everything was handed over. A target that received nothing opens its own sockets. */
export type TakeOver = (target: HandoverTarget) => Promise<void>
