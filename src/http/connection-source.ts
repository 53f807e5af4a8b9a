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
  /** A connection of which nothing was read since its last call. */
  giveBack(socket: Socket, isSecure: boolean): void
}

/** Known to node:net and node:http, but not documented. */
interface InnerSocket extends Socket {
  readonly _handle?: { readStop(): void } | null
  /** `duration` counts from the first byte of a message, and is 0 between messages. */
  readonly parser?: { duration(): number } | null
}

/** A connection that has said nothing yet counts as between messages, too. */
export function isWithinMessage(socket: InnerSocket): boolean {
  return socket.bytesRead > 0 && socket.parser?.duration() !== 0
}

/**
 * To be called right before the socket is sent to another process: what this one would read in the meantime were lost.
 * And it is not counted for the server that accepted it, which is told nothing of its end.
 */
export function prepareToSend(socket: InnerSocket): void {
  socket._handle?.readStop()
  Object.assign(socket, { server: null })
}
