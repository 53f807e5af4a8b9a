/**
 * Before several processes share a port: whether it is to be had at all, and which one it is where any will do. A port
 * that others share is had by anyone who shares it too, so that it is first asked for alone (specification 17.1).
 */
import { once } from 'node:events'
import { createServer, type ListenOptions } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../../settings.ts'
import { explainListening, explainNoAdministration } from '../explain-failure.ts'
import { warn } from '../print.ts'

export interface Ports {
  readonly port: number
  readonly tlsPort: number | undefined
  /** Undefined where administration is off, or cannot be had: calls are served all the same. */
  readonly adminPort: number | undefined
}

/** Workers whose supervisor was killed give the port free as soon as they notice. In milliseconds. */
const patience = 2000

/** @returns undefined where the system cannot share a port @throws Failure where it is in use */
export async function claimPorts(settings: Settings): Promise<Ports | undefined> {
  const { host, port, tls, admin } = settings
  try {
    const adminPort =
      admin && claim(admin.host, admin.port).catch((error) => void warn(explainNoAdministration(error, admin)))
    const calls = { port: await claim(host, port), tlsPort: tls && (await claim(host, tls.port)) }
    const claimed = { ...calls, adminPort: (await adminPort) ?? undefined }
    await listen({ host, port: claimed.port, reusePort: true })
    return claimed
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTSUP') return undefined
    throw explainListening(error, settings)
  }
}

async function claim(host: string, port: number): Promise<number> {
  const end = performance.now() + patience
  for (;;) {
    try {
      return await listen({ host, port })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() > end) throw error
      await sleep(50)
    }
  }
}

/** Listens and gives it up again. @returns the port */
async function listen(options: ListenOptions): Promise<number> {
  const server = createServer()
  const listening = once(server, 'listening')
  server.listen(options)
  await listening
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
