/**
 * A stream of rows of the database, on SQLite and on PostgreSQL: the memory of the serving process while two gigabytes
 * pass, beyond what it has when it is idle and warm, and the time to the first byte of 100,000 rows.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { startPostgres } from '../test/support/postgres.ts'
import { type InstalledPackage, publish } from './published.ts'
import { get } from './requests.ts'
import { type GatewayServer, startGateway } from './servers.ts'
import { formatRequest } from './wire.ts'

export interface StreamResult {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly bytes: number
  readonly seconds: number
  /** In MB: idle after warming up, and the most while it streamed. */
  readonly idle: number
  readonly most: number
  /** Of 100,000 rows, in milliseconds, one a round. */
  readonly firstBytes: readonly number[]
}

const linesInMegabytes = 9.5

/** @param megabytes of the long stream */
export async function measureStreams(megabytes: number, rounds: number): Promise<StreamResult[]> {
  const published = publish()
  const server = await startPostgres({ isDurable: true })
  try {
    return [
      await measure('SQLite', undefined, published, megabytes, rounds),
      await measure('PostgreSQL', server.url, published, megabytes, rounds),
    ]
  } finally {
    await server.stop()
    published.remove()
  }
}

async function measure(
  name: StreamResult['database'],
  database: string | undefined,
  published: InstalledPackage,
  megabytes: number,
  rounds: number,
): Promise<StreamResult> {
  const gateway = await startGateway({
    ...(database && { database }),
    project: 'bench/streams',
    isPinned: false,
    published,
    isRestarted: true,
    environment: { IG_WORKERS: '1', IG_LIMITS_STREAMTIME: '1h' },
  })
  try {
    const firstBytes: number[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const { firstByte } = await read(gateway, 1)
      if (round > 0) firstBytes.push(firstByte) // the first one warms up
    }
    const idle = memoryOf(gateway)
    let most = idle
    const looking = setInterval(() => (most = Math.max(most, memoryOf(gateway))), 20)
    const begun = performance.now()
    const { bytes } = await read(gateway, Math.round(megabytes / linesInMegabytes))
    clearInterval(looking)
    return { database: name, bytes, seconds: (performance.now() - begun) / 1000, idle, most, firstBytes }
  } finally {
    await gateway.stop()
  }
}

/** Everything that comes is dropped: the client must not be what is measured. */
function read({ port }: GatewayServer, times: number): Promise<{ readonly bytes: number; readonly firstByte: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ bytes: number; firstByte: number }>()
  const begun = performance.now()
  let bytes = 0
  let firstByte = 0
  let end = ''
  const request = { ...get(`LINES.v1/${times}`), headers: ['connection', 'close'] }
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(formatRequest(request, port)))
  socket.on('data', (piece) => {
    firstByte ||= performance.now() - begun
    bytes += piece.length
    end = piece.toString('latin1', Math.max(0, piece.length - 5))
  })
  socket.on('error', reject)
  socket.on('close', () => {
    if (end === '0\r\n\r\n') resolve({ bytes, firstByte })
    else reject(new Error(`The stream was cut after ${bytes} bytes`))
  })
  return promise
}

/** In MB. */
function memoryOf({ pid }: GatewayServer): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6
}
