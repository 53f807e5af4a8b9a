/**
 * Checks the ports that several processes will share, and chooses one for port 0. Sharing would also succeed beside a
 * foreign process that shares its port, so each port is first opened alone (specification 17.1).
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ListenOptions, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadContributions } from '../../feature.ts'
import type { Settings } from '../../settings.ts'
import { explainListening, explainNoAdministration } from '../../terminal/explain-failure.ts'
import { warn } from '../../terminal/print.ts'

export interface Ports {
  /** Undefined if nothing listens in plain text. */
  readonly port: number | undefined
  readonly tlsPort: number | undefined
  /** Undefined if administration is off or its port is in use; the gateway serves calls anyway. */
  readonly adminPort: number | undefined
  /** Of the listeners of features, by their environment variables: `off` if it is in use. */
  readonly ofFeatures: Readonly<Record<string, string>>
  /** Whether one of these listens. */
  readonly hasFeatures: boolean
  /** Events for the log, which is not open yet: what is not served because its port is in use. */
  readonly missing: readonly { readonly name: string; readonly message: string }[]
}

/** In milliseconds. Workers whose supervisor was killed release the port as soon as they notice. */
const patience = 2000

/** @returns undefined if the system cannot share a port @throws Failure if it is in use */
export async function claimPorts(settings: Settings): Promise<Ports | undefined> {
  const { host, port, tls, admin } = settings
  const missing: { name: string; message: string }[] = []
  const miss = (name: string, message: string) => {
    warn(message)
    missing.push({ name, message })
  }
  await using claimed = new AsyncDisposableStack() // all stay open until the last one is, so that no port is chosen twice
  const claim = async (place: string, wanted: number) => {
    const server = await (wanted === 0 ? listenAnywhere(place) : listenAlone(place, wanted))
    claimed.defer(() => close(server))
    return portOf(server)
  }
  try {
    const calls = {
      port: port === undefined ? undefined : await claim(host, port),
      tlsPort: tls && (await claim(host, tls.port)),
    }
    const adminPort = await (admin && claim(admin.host, admin.port))?.catch((error) =>
      miss('administrationMissing', explainNoAdministration(error, admin)),
    )
    const ofFeatures: Record<string, string> = {}
    for (const find of await loadContributions('listener')) {
      const listener = find(settings)
      if (!listener) continue
      const found = await claim(listener.host, listener.port).catch((error) =>
        miss(listener.missing, listener.explain(error)),
      )
      ofFeatures[listener.variable] = String(found ?? 'off')
    }
    await claimed.disposeAsync()
    await close(await listen({ host, port: calls.port ?? calls.tlsPort, reusePort: true }))
    const hasFeatures = Object.values(ofFeatures).some((each) => each !== 'off')
    return { ...calls, adminPort: adminPort ?? undefined, ofFeatures, hasFeatures, missing }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTSUP') return undefined
    throw explainListening(error, settings)
  }
}

/** The port is free until the first worker listens. Systems choose ports from 32768 up, so they do not choose this one. */
async function listenAnywhere(host: string): Promise<Server> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await listen({ host, port: randomInt(20_000, 32_768) })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if ((code !== 'EADDRINUSE' && code !== 'EACCES') || tries === 100) throw error
    }
  }
}

async function listenAlone(host: string, port: number): Promise<Server> {
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

async function listen(options: ListenOptions): Promise<Server> {
  const server = createServer((socket) => socket.destroy()) // no process serves calls yet
  const listening = once(server, 'listening')
  server.listen(options)
  await listening
  return server
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  await closed
}
