/** METADATA at a steady 1,000 calls a second, alone and while a KEY_VALUE POST of a million rows is under way. */
import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../test/support/postgres.ts'
import { bodyChunks, postBody } from './bulk-body.ts'
import { get } from './requests.ts'
import { startGateway } from './servers.ts'
import type { LatencySummary } from './steady.ts'

export interface MixedLoad {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly alone: LatencySummary
  readonly during: LatencySummary
}

const perSecond = 1000

export async function measureMixed(): Promise<MixedLoad[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-body-'))
  const file = join(folder, 'body.xml')
  const server = await startPostgres({ isDurable: true })
  try {
    await pipeline(Readable.from(bodyChunks(1_000_000)), createWriteStream(file))
    return [await measure('SQLite', undefined, file), await measure('PostgreSQL', server.url, file)]
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(name: MixedLoad['database'], database: string | undefined, file: string): Promise<MixedLoad> {
  const gateway = await startGateway({
    ...(database ? { database } : {}),
    isPinned: false,
    environment: { IG_LIMITS_HANDLERTIMEOUT: '5min', IG_WORKERS: '1' }, // both in the same process
  })
  try {
    const { port } = gateway
    await callWhile(port, () => sleep(3000)) // warms up
    const alone = await callWhile(port, () => sleep(5000))
    const during = await callWhile(port, () => postBody(port, createReadStream(file)))
    return { database: name, alone, during }
  } finally {
    await gateway.stop()
  }
}

async function callWhile(port: number, work: () => Promise<unknown>): Promise<LatencySummary> {
  const client = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'steady.ts'),
      JSON.stringify({ port, request: get('METADATA.v1/'), perSecond, connections: 64 }),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  await sleep(500)
  await work()
  client.stdin.end('end\n')
  return JSON.parse(await text(client.stdout))
}
