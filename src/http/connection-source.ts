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
  /** A connection of which nothing was read since its last call. Fulfilled when that is known there. */
  giveBack(socket: Socket): Promise<void>
  /** Called once, when the stop has given back what it could: no further call begins here, save on connections within one. */
  retired(): void
}
