/**
 * A listening socket beyond the process that opened it: where a worker is replaced, its successor listens on the same
 * one, so that no connection that waits to be accepted is reset (specification 17.4).
 */
import type { SendHandle } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { ListenOptions, Server } from 'node:net'

/** Held by a process that accepts nothing on it. */
export interface ListeningSocket {
  /** For `stdio` of a process that is started. */
  readonly fd: number
  close(): void
}

/** Known to node:net, but not documented. Where a later Node has none, a successor opens a socket of its own. */
export function listeningSocketOf(server: Server): SendHandle | undefined {
  const { _handle: socket } = server as Server & { readonly _handle?: SendHandle & Partial<ListeningSocket> }
  return typeof socket?.fd === 'number' && socket.fd >= 0 ? socket : undefined
}

/** Where a server listens: on the socket that was handed over, or on one of its own. */
export function placeOf(inherited: number | undefined, own: ListenOptions): ListenOptions {
  if (inherited === undefined) return own
  const place: ListenOptions & { readonly fd: number } = { fd: inherited }
  return place
}

/** Clients of an inherited socket without a listener would wait for ever. */
export function closeInherited(sockets: readonly number[]): void {
  for (const fd of sockets) closeSync(fd)
}
