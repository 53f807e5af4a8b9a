/**
 * KEY_VALUE POSTs of ten rows from 64 clients, each with an Idempotency-Key of its own, beside the same without one, to a
 * second gateway on a database of the same kind: one process each, stored durably.
 */
import { startPostgres } from '../test/support/postgres.ts'
import { tenRows } from './requests.ts'
import { type Duel, duel, type Options } from './rounds.ts'
import { startGateway } from './servers.ts'
import type { Request } from './wire.ts'

export interface KeyedPosts extends Duel {
  readonly database: 'SQLite' | 'PostgreSQL'
}

/** More than are sent: each is sent once. */
const keys = 60_000

export async function measureKeyedPosts(options: Options): Promise<KeyedPosts[]> {
  const server = await startPostgres({ isDurable: true })
  try {
    return [
      { database: 'SQLite', ...(await measure(undefined, options)) },
      { database: 'PostgreSQL', ...(await measure(server.url, options)) },
    ]
  } finally {
    await server.stop()
  }
}

async function measure(database: string | undefined, options: Options): Promise<Duel> {
  await using opened = new AsyncDisposableStack()
  const open = async (requests: readonly Request[]) => {
    const environment = { IG_WORKERS: '1', IG_LIMITS_OVERLOADDELAY: '24h' } // it is driven to its limit
    const server = await startGateway({ ...(database && { database }), isPinned: false, environment })
    opened.defer(server.stop)
    return { server, requests }
  }
  const plain = tenRows()
  const keyed = Array.from({ length: keys }, (): Request => {
    return { ...plain, headers: [...plain.headers, 'idempotency-key', crypto.randomUUID()] }
  })
  return await duel(await open(keyed), await open([plain]), { ...options, connections: 64 }, 2)
}
