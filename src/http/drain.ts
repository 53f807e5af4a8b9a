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

export async function drainListeners(open: OpenSockets, servers: readonly Server[]): Promise<void> {
  const { edge, connections } = open
  const { shutdownGrace, shutdownIdle } = edge.limits
  edge.isStopping = true
  const closed = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  // A request may be on its way over an idle connection, and a proxy must not repeat a POST, so idle connections stay
  // open for a while.
  const idle = Math.min(shutdownIdle, shutdownGrace)
  await closesWithin(closed, idle)
  edge.closesIdle = true
  for (const connection of connections.values()) connection.stop()
  if (!(await closesWithin(closed, shutdownGrace - idle))) await abortCalls(open, closed)
}

/** Hands idle connections over to the next process of `ig dev`, which answers their next calls; ends the others. */
export async function returnConnections(open: OpenSockets, source: ConnectionSource): Promise<void> {
  const { edge, connections, sockets } = open
  edge.isStopping = true
  const returned: Promise<void>[] = []
  for (const [socket, connection] of connections) {
    if (!connection.isIdle) continue
    connections.delete(socket)
    sockets.delete(socket)
    returned.push(source.giveBack(socket))
  }
  source.retired()
  // Those that remain have a call, or are over TLS
  const closed = Promise.all(Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve))))
  edge.closesIdle = true
  for (const connection of connections.values()) connection.stop(false)
  const isClosed = await closesWithin(closed, edge.limits.shutdownGrace)
  await Promise.all(returned) // the exit of this process would close connections that are still being handed over
  if (!isClosed) await abortCalls(open, closed)
}

function closesWithin(closed: Promise<unknown>, milliseconds: number): Promise<boolean> {
  return Promise.race([closed.then(() => true), setTimeout(milliseconds, false, { ref: false })])
}

async function abortCalls({ connections, sockets }: OpenSockets, closed: Promise<unknown>): Promise<void> {
  const reason = new Refusal('overloaded', 'cut off by the stop: the grace time has ended', {
    detail: 'The gateway is stopping.',
  })
  for (const connection of connections.values()) connection.abort(reason)
  await closesWithin(closed, abortGrace)
  for (const socket of sockets) socket.destroy()
  await closed
}
