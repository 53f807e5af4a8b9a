/**
 * Limits the connections of the administration plane (specification 18.39): when all are in use, closes the oldest one
 * of the network with the most, so that no network can lock out others.
 */
import type { Server, Socket } from 'node:net'
import { networkOf } from '../base/network.ts'

export const maxConnections = 512

export function limitAdminConnections(server: Server, max = maxConnections): void {
  const bySite = new Map<string, Set<Socket>>()
  let open = 0
  server.prependListener('connection', (socket: Socket) => {
    const site = networkOf(socket.remoteAddress ?? '')
    const own = bySite.get(site) ?? new Set()
    bySite.set(site, own.add(socket))
    open += 1
    socket.once('close', () => {
      open -= 1
      own.delete(socket)
      if (own.size === 0 && bySite.get(site) === own) bySite.delete(site)
    })
    if (open > max) endOldest(bySite)
  })
}

function endOldest(bySite: ReadonlyMap<string, ReadonlySet<Socket>>): void {
  let largest: ReadonlySet<Socket> = new Set()
  for (const sockets of bySite.values()) if (sockets.size > largest.size) largest = sockets
  for (const socket of largest)
    if (!socket.destroyed) {
      socket.destroy()
      return
    }
}
