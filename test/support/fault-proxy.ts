/** A TCP proxy in front of a server on this machine that can become as silent as a network that drops packets. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface FaultProxy {
  readonly port: number
  /** From now on no byte passes, and connections stay open. */
  swallow(): void
  /** New connections pass; those before stay silent. */
  pass(): void
  /** Ends all connections, as a firewall does that forgot them. */
  reset(): void
  close(): Promise<void>
}

/** @param own its port; by default a free one */
export async function openFaultProxy(port: number, hostname = '127.0.0.1', own = 0): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    return socket
  }
  const proxy = createServer((client) => {
    track(client)
    if (isSilent) return
    const server = track(connect(port, hostname))
    client.pipe(server).pipe(client)
    client.once('close', () => server.destroy())
    server.once('close', () => client.destroy())
  }).listen(own, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as { port: number }).port,
    swallow() {
      isSilent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    pass() {
      isSilent = false
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },
  }
}
