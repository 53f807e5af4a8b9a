/**
 * KEY_VALUE POSTs of ten rows from 64 clients, each stored durably before it is answered, beside a raw loop of the same
 * transactions on the same database: one connection on SQLite, which has one writer; ten at a time on PostgreSQL, as many
 * as the gateway's pool. The gateway is one process, as the loop is.
 */
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startPostgres } from '../test/support/postgres.ts'
import { type Client, drive } from './drive.ts'
import { tenRows } from './requests.ts'
import { startGateway } from './servers.ts'

export interface SmallPosts {
  readonly database: 'SQLite' | 'PostgreSQL'
  /** Calls a second, one figure a round. */
  readonly gateway: readonly number[]
  /** Transactions a second. */
  readonly raw: readonly number[]
}

const into = 'insert into "C_KEY_VALUE" ("IBTRANSACTIONID", "KEY1", "LONGVALUE", "ADD_DTTM")'
const rawRows = Array.from({ length: 10 }, (_, index) => [
  `key-${index}`,
  `The value of row ${index}, of some length`,
  '2026-11-21 10:11:12.123456',
])

/** `wrk` sleeps while it waits; the other client takes a core of its own, which no writer or server of a database has then. */
export async function measureSmallPosts(client: Client, rounds: number, seconds: number): Promise<SmallPosts[]> {
  const server = await startPostgres({ isDurable: true })
  try {
    return [
      await measure('SQLite', undefined, client, rounds, seconds),
      await measure('PostgreSQL', server.url, client, rounds, seconds),
    ]
  } finally {
    await server.stop()
  }
}

async function measure(
  name: SmallPosts['database'],
  database: string | undefined,
  client: Client,
  rounds: number,
  seconds: number,
): Promise<SmallPosts> {
  const server = await startGateway({
    ...(database && { database }),
    isPinned: false,
    environment: { IG_WORKERS: '1', IG_LIMITS_OVERLOADDELAY: '24h' }, // it is driven to its limit
  })
  try {
    const gateway: number[] = []
    const raw: number[] = []
    const load = { port: server.port, requests: [tenRows()], connections: 64, seconds }
    await drive(client, load)
    for (let round = 0; round < rounds; round += 1) {
      gateway.push((await drive(client, load)).perSecond)
      raw.push(await (database ? loopOnPostgres(database, seconds) : loopOnSqlite(server.database, seconds)))
    }
    return { database: name, gateway, raw }
  } finally {
    await server.stop()
  }
}

/** Transactions a second. */
function loopOnSqlite(path: string, seconds: number): number {
  const database = new DatabaseSync(path, { timeout: 5000 })
  database.exec('pragma synchronous=full')
  const statement = database.prepare(`${into} values (?, ?, ?, ?)`)
  const begun = performance.now()
  let count = 0
  for (; performance.now() - begun < seconds * 1000; count += 1) {
    const transaction = crypto.randomUUID()
    database.exec('begin immediate')
    for (const [key = '', value = '', time = ''] of rawRows) statement.run(transaction, key, value, time)
    database.exec('commit')
  }
  const spent = (performance.now() - begun) / 1000
  database.close()
  return count / spent
}

async function loopOnPostgres(url: string, seconds: number): Promise<number> {
  const text = `${into} select * from unnest($1::char(36)[], $2::varchar[], $3::text[], $4::timestamp[])`
  const columns = [0, 1, 2].map((at) => rawRows.map((row) => row[at] ?? ''))
  const clients = Array.from({ length: 10 }, () => new pg.Client({ connectionString: url }))
  for (const client of clients) await client.connect()
  const begun = performance.now()
  let count = 0
  const loop = async (client: pg.Client) => {
    for (; performance.now() - begun < seconds * 1000; count += 1) {
      const transactions = rawRows.map(() => crypto.randomUUID())
      await client.query('begin')
      await client.query(text, [transactions, ...columns])
      await client.query('commit')
    }
  }
  await Promise.all(clients.map(loop))
  const spent = (performance.now() - begun) / 1000
  for (const client of clients) await client.end()
  return count / spent
}
