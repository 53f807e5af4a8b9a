/** The orderly stop of the listening plane (specification 4.15, 17.5), and the hand-over of connections in `ig dev` (14.3). */
import type { Server, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Refusal } from '../model/refusal.ts'
import type { Connection } from './connection.ts'
import type { Edge } from './edge.ts'
import type { ConnectionSource } from './hand-over.ts'

/** How long, in milliseconds, what was aborted at the end of the grace time may take to say so. */
const lastWords = 200

export interface Open {
  readonly edge: Edge
  readonly connections: Map<Socket, Connection>
  /** Those too that have not finished their TLS handshake, and are no connections yet. */
  readonly sockets: Set<Socket>
}

export async function stop(open: Open, servers: readonly Server[], source?: ConnectionSource): Promise<void> {
  const { edge, connections, sockets } = open
  const { limits } = edge
  edge.isStopping = true
  const given = source ? giveBack(source, open) : undefined
  const closed = source
    ? Promise.all(Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve))))
    : Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  const isOver = (milliseconds: number) =>
    Promise.race([closed.then(() => true), setTimeout(milliseconds, false, { ref: false })])
  // A call may be on its way on what looks idle from here, and a proxy must not repeat a POST: it is answered, and told
  // that the connection ends. Behind a source, what is left has begun a call, or cannot be handed over.
  const idle = source ? 0 : Math.min(limits.shutdownIdle, limits.shutdownGrace)
  if (!source) await isOver(idle)
  edge.closesIdle = true
  for (const connection of connections.values()) connection.stop(!source)
  const isClosed = await isOver(limits.shutdownGrace - idle)
  await given // the end closes idle connections, those too that wait to be sent
  if (isClosed) return

  const reason = new Refusal('overloaded', 'cut off by the stop: the grace time has ended', {
    detail: 'The gateway is stopping.',
  })
  for (const connection of connections.values()) connection.abort(reason)
  await isOver(lastWords)
  for (const socket of sockets) socket.destroy()
  await closed
}

/** What waits on an idle connection has its next call answered by the process that comes after. */
function giveBack(source: ConnectionSource, { connections, sockets }: Open): Promise<unknown> {
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
