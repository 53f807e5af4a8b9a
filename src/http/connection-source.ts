/**
 * Connections that another process accepts, and gets back while they are idle: so `ig dev` replaces the process that
 * serves, and no connection notices (specification 14.3).
 */
import type { Socket } from 'node:net'

export interface ConnectionSource {
  /** Where the other process listens. */
  readonly url: string
  readonly tlsUrl: string | undefined
  /** Called once, when calls can be taken. */
  start(take: (socket: Socket, isSecure: boolean) => void): void
  /** A connection of which nothing was read since its last call. Fulfilled when it is sent: until then it must not be closed. */
  giveBack(socket: Socket, isSecure: boolean): Promise<void>
  /** Called once, when the stop has given back what it could: no further call begins here, save on connections within one. */
  retired(): void
}

/** Known to node:net, but not documented. */
interface InnerSocket extends Socket {
  readonly _handle?: { readStop(): void } | null
}

/**
 * To be called right before the socket is sent to another process: what this one would read in the meantime were lost.
 * And it is not counted for the server that accepted it, which is told nothing of its end.
 */
export function prepareToSend(socket: InnerSocket): void {
  socket._handle?.readStop()
  socket.setTimeout(0)
  Object.assign(socket, { server: null })
}
