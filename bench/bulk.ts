/**
 * A KEY_VALUE POST of a million rows, 100 MB, on SQLite and on PostgreSQL: rows per second from the first byte sent to
 * the answer read, beside a bare loop that stores the same rows, and the most memory that the gateway's process ever
 * had. `bulk-2gb` is one body of 20 million rows, made as it is sent.
 */
import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../test/support/postgres.ts'
import { bodyChunks, postBody } from './bulk-body.ts'
import { type InstalledPackage, publish } from './published.ts'
import { type GatewayServer, startGateway } from './servers.ts'

export interface Bulk {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly rows: number
  /** Of the gateway, one a round. */
  readonly seconds: readonly number[]
  /** Of the bare loop; none for the body that is not stored. */
  readonly bareSeconds: readonly number[]
  /** In MB: before the first call, and the most there ever was. Undefined where the system does not tell. */
  readonly memoryBefore: number | undefined
  readonly memoryPeak: number | undefined
}

const run = promisify(execFile)

/** @param rows without a number of rounds, one body that is made as it is sent */
export async function measureBulk(rows: number, rounds?: number): Promise<Bulk[]> {
  const published = publish()
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-body-'))
  const file = rounds === undefined ? undefined : join(folder, 'body.xml')
  const server = await startPostgres({ isDurable: true })
  try {
    if (file) await pipeline(Readable.from(bodyChunks(rows)), createWriteStream(file))
    const options = { published, rows, rounds: rounds ?? 1, file }
    return [await measure('SQLite', undefined, options), await measure('PostgreSQL', server.url, options)]
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
    published.remove()
  }
}

/** Beyond the default limits of 256 MiB and 30 seconds; one process, which is the one that is measured. */
const environment = { IG_LIMITS_BODY: '4GiB', IG_LIMITS_HANDLERTIMEOUT: '15min', IG_WORKERS: '1' }

interface Options {
  readonly published: InstalledPackage
  readonly rows: number
  readonly rounds: number
  readonly file: string | undefined
}

async function measure(
  name: Bulk['database'],
  database: string | undefined,
  { published, rows, rounds, file }: Options,
): Promise<Bulk> {
  const where = database ? { database } : {}
  const gateway = await startGateway({ ...where, isPinned: false, published, environment, isRestarted: true })
  try {
    const memoryBefore = peakMemory(gateway.pid)
    const seconds: number[] = []
    const bareSeconds: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now()
      const transaction = await postBody(gateway.port, file ? createReadStream(file, pieces) : bodyChunks(rows))
      seconds.push((performance.now() - begun) / 1000)
      const stored = await countRows(gateway.database, transaction)
      if (stored !== rows) throw new Error(`${name} has ${stored} of ${rows} rows`)
      if (file) bareSeconds.push(await runBare(file, gateway))
    }
    return {
      database: name,
      rows,
      seconds,
      bareSeconds,
      memoryBefore,
      memoryPeak: peakMemory(gateway.pid),
    }
  } finally {
    await gateway.stop()
  }
}

const pieces = { highWaterMark: 256 * 1024 }

/** Into the same table, while the gateway has nothing to do. */
async function runBare(file: string, { database }: GatewayServer): Promise<number> {
  const { stdout } = await run(process.execPath, [
    join(import.meta.dirname, 'bulk-bare.ts'),
    JSON.stringify({ file, database }),
  ])
  return (JSON.parse(stdout) as { seconds: number }).seconds
}

/** In MB. */
export function peakMemory(pid: number): number | undefined {
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

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
