/**
 * The open ports of `ig dev`: they stay open while the serving process is replaced, and new connections wait
 * (specification 14.3).
 */
import { createServer, type Server, type Socket } from 'node:net'
import { formatAddress } from '../../base/host.ts'
import type { Settings } from '../../settings.ts'
import { explainNoAdministration } from '../../terminal/explain-failure.ts'
import { warn } from '../../terminal/print.ts'
import type { Entrance } from './server-messages.ts'

export interface Listeners {
  readonly url: string
  readonly tlsUrl: string | undefined
  /** Undefined if it is off or its address is not available: calls are served all the same. */
  readonly adminUrl: string | undefined
  close(): void
}

type Take = (socket: Socket, entrance: Entrance) => void

/** Rejects with the system's error (`code`, `port`) if an address is not available. */
export async function openListeners(
  { host, port, tls, admin }: Settings & { readonly port: number },
  take: Take,
): Promise<Listeners> {
  const server = await listen(host, port, (socket) => take(socket, 'plain'))
  try {
    const secure = tls && (await listen(host, tls.port, (socket) => take(socket, 'tls')))
    const forAdmin =
      admin &&
      (await listen(admin.host, admin.port, (socket) => take(socket, 'admin')).catch(
        (error) => void warn(explainNoAdministration(error, admin)),
      ))
    return {
      url: `http://${formatAddress(host, server)}`,
      tlsUrl: secure && `https://${formatAddress(host, secure)}`,
      adminUrl: forAdmin && `${admin?.tls ? 'https' : 'http'}://${formatAddress(admin?.host ?? '', forAdmin)}`,
      close() {
        server.close()
        secure?.close()
        forAdmin?.close()
      },
    }
  } catch (error) {
    server.close()
    throw error
  }
}

/** Reads nothing: the serving process reads everything. */
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
