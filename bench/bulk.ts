/**
 * A 100 MB KEY_VALUE POST of a million rows, on SQLite and on PostgreSQL: rows per second from the first byte sent to
 * the answer read, whether every row was stored, and the most memory that the gateway's process ever had.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { startPostgres } from '../test/support/postgres.ts'
import { startGateway } from './servers.ts'

export interface Bulk {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly megabytes: number
  readonly rows: number
  readonly stored: number
  readonly seconds: number
  readonly perSecond: number
  /** In MB: before the call, and the most there ever was. Undefined where the system does not tell. */
  readonly memoryBefore: number | undefined
  readonly memoryPeak: number | undefined
}

const rowCount = 1_000_000

export async function measureBulk(): Promise<Bulk[]> {
  const sqlite = await measure('SQLite', undefined)
  const server = await startPostgres({ isDurable: true })
  try {
    return [sqlite, await measure('PostgreSQL', server.url)]
  } finally {
    await server.stop()
  }
}

async function measure(name: Bulk['database'], database: string | undefined): Promise<Bulk> {
  const gateway = await startGateway({ ...(database ? { database } : {}), isPinned: false })
  try {
    const memoryBefore = peakMemory(gateway.pid)
    const begun = performance.now()
    const { bytes, answer } = await post(gateway.port)
    const seconds = (performance.now() - begun) / 1000
    const transaction = /<TRANSACTION_ID>([^<]+)</.exec(answer)?.[1]
    if (!transaction) throw new Error(`the bulk POST was refused: ${answer}`)
    const memoryPeak = peakMemory(gateway.pid)
    const stored = await countRows(gateway.database, transaction)
    const perSecond = rowCount / seconds
    return {
      database: name,
      megabytes: bytes / 1e6,
      rows: rowCount,
      stored,
      seconds,
      perSecond,
      memoryBefore,
      memoryPeak,
    }
  } finally {
    await gateway.stop()
  }
}

async function post(port: number): Promise<{ bytes: number; answer: string }> {
  const sent = requestHttp({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/PSIGW/RESTListeningConnector/LOCAL_NODE/KEY_VALUE.v1',
    auth: 'DEMO:demo-password',
    headers: { 'content-type': 'text/xml; encoding="UTF-8"' },
  })
  const answered = once(sent, 'response')
  let bytes = 0
  for (const chunk of bodyChunks()) {
    bytes += chunk.length
    if (!sent.write(chunk)) await Promise.race([once(sent, 'drain'), answered])
  }
  sent.end()
  const [response] = await answered
  return { bytes, answer: await text(response) }
}

/** A hundred bytes and two a row. */
function* bodyChunks(): Iterable<string> {
  yield '<?xml version="1.0"?><request>'
  for (let first = 0; first < rowCount; first += 1000) {
    const rows = Array.from({ length: 1000 }, (_, index) => {
      const number = String(first + index).padStart(7, '0')
      return `<row><key>key-${number}</key><value>The value of row ${number}, of nearly fifty characters.</value></row>\n`
    })
    yield rows.join('')
  }
  yield '</request>'
}

/** In MB. */
function peakMemory(pid: number): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6
  } catch {
    return undefined // another system than Linux
  }
}

async function countRows(database: string, transaction: string): Promise<number> {
  if (!database.startsWith('postgres')) {
    const file = new DatabaseSync(database, { readOnly: true })
    const found = file
      .prepare('select count(*) as count from "C_KEY_VALUE" where "IBTRANSACTIONID" = ?')
      .get(transaction)
    file.close()
    return Number(found?.count)
  }
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const found = await client.query('select count(*) from "C_KEY_VALUE" where "IBTRANSACTIONID" = $1', [transaction])
  await client.end()
  return Number(found.rows[0].count)
}
