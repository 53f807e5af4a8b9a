/** The orderly stop of the listening plane (specification 4.15, 17.5), and the hand-over of connections in `ig dev` (14.3). */
import type { Server, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Refusal } from '../model/refusal.ts'
import type { Connection } from './connection.ts'
import type { Edge } from './edge.ts'
import type { ConnectionSource } from './hand-over.ts'

/** Milliseconds in which calls that were aborted at the end of the grace time may send their refusals. */
const abortGrace = 200

export interface OpenSockets {
  readonly edge: Edge
  readonly connections: Map<Socket, Connection>
  /** Includes sockets that have not finished their TLS handshake, so have no connection yet. */
  readonly sockets: Set<Socket>
}

export async function drainListeners(
  open: OpenSockets,
  servers: readonly Server[],
  source?: ConnectionSource,
): Promise<void> {
  const { edge, connections, sockets } = open
  const { limits } = edge
  edge.isStopping = true
  const given = source ? giveBack(source, open) : undefined
  const closed = source
    ? Promise.all(Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve))))
    : Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  const isOver = (milliseconds: number) =>
    Promise.race([closed.then(() => true), setTimeout(milliseconds, false, { ref: false })])
  // A request may be on its way over an idle connection, and a proxy must not repeat a POST, so idle connections stay
  // open for a while. With a source they were handed over, except those with a call and those over TLS.
  const idle = source ? 0 : Math.min(limits.shutdownIdle, limits.shutdownGrace)
  if (!source) await isOver(idle)
  edge.closesIdle = true
  for (const connection of connections.values()) connection.stop(!source)
  const isClosed = await isOver(limits.shutdownGrace - idle)
  await given // the exit of this process would close connections that are still being handed over
  if (isClosed) return

  const reason = new Refusal('overloaded', 'cut off by the stop: the grace time has ended', {
    detail: 'The gateway is stopping.',
  })
  for (const connection of connections.values()) connection.abort(reason)
  await isOver(abortGrace)
  for (const socket of sockets) socket.destroy()
  await closed
}

/** Hands idle connections over to the next process, which answers their next calls. */
function giveBack(source: ConnectionSource, { connections, sockets }: OpenSockets): Promise<unknown> {
  const given: Promise<void>[] = []
  for (const [socket, connection] of connections) {
    if (!connection.isIdle) continue
    connections.delete(socket)
    sockets.delete(socket)
    given.push(source.giveBack(socket))
  }
  source.retired()
  return Promise.all(given)
}
