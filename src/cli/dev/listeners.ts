/**
 * The open ports of `ig dev`: they stay open while the process that serves is replaced, and connections that nobody can
 * take yet wait (specification 14.3).
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { Settings } from '../../settings.ts'

export interface Listeners {
  readonly url: string
  readonly tlsUrl: string | undefined
  close(): void
}

type Take = (socket: Socket, isSecure: boolean) => void

/** Rejects with the system's error (`code`, `port`) where an address cannot be had. */
export async function openListeners({ host, port, tls }: Settings, take: Take): Promise<Listeners> {
  const server = await listen(host, port, (socket) => take(socket, false))
  try {
    const secure = tls && (await listen(host, tls.port, (socket) => take(socket, true)))
    return {
      url: `http://${formatAddress(host, server)}`,
      tlsUrl: secure && `https://${formatAddress(host, secure)}`,
      close() {
        server.close()
        secure?.close()
      },
    }
  } catch (error) {
    server.close()
    throw error
  }
}

/** Nothing is read here: the process that serves reads all of it. */
function listen(host: string, port: number, take: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, take)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

function formatAddress(host: string, server: Server): string {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
