/** Every place that something of a call is written to or read from (specification 8.7, 18). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestAdmin } from '../support/admin.ts'
import { runOutside } from '../support/databases.ts'

type Places = Map<string, string>

/** A collector of traces. */
export async function openCollector(stack: AsyncDisposableStack) {
  const spans: string[] = []
  const server = createServer(async (request, response) => {
    spans.push(await text(request))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, spans }
}

const lists =
  'audit?limit=500 logs/error?limit=500 logs/message?limit=500 monitor/transactions?limit=100 monitor settings state operators ' +
  'rest-cache revisions activations drafts statistics instances tokens administrators session'

/** What administration answers to each role. */
export async function readAnswers({ ask }: TestAdmin, places: Places, transactions: readonly string[]): Promise<void> {
  for (const as of ['viewer', 'administrator'] as const) {
    for (const list of lists.split(' '))
      places.set(`GET /api/${list} as ${as}`, JSON.stringify((await ask(`GET /api/${list}`, { as })).body))
    places.set(`GET /metrics as ${as}`, String((await ask('GET /metrics', { as })).body))
  }
  const messages = transactions.map((id) => ask(`GET /api/monitor/transactions/${id}/messages`))
  places.set('messages of the monitor', JSON.stringify((await Promise.all(messages)).map(({ body }) => body)))
}

/** The tables of the gateway: what projects keep in theirs is their own. */
export async function readTables(url: string, places: Places): Promise<void> {
  const isPostgres = url.startsWith('postgres')
  const databases = isPostgres
    ? [url]
    : [url, url.replace(/\.sqlite$/, '-monitor.sqlite'), url.replace(/\.sqlite$/, '-cache.sqlite')]
  for (const database of databases.filter((each) => isPostgres || existsSync(each))) {
    const tables = await runOutside(
      database,
      isPostgres
        ? "select tablename as name from pg_tables where tablename like 'ig\\_%'"
        : "select name from sqlite_schema where type = 'table' and name like 'ig\\_%' escape '\\'",
    )
    for (const { name } of tables) {
      const rows = await runOutside(database, `select * from "${String(name)}"`)
      places.set(`table ${String(name)}`, rows.map((row) => Object.values(row).map(show).join('\n')).join('\n'))
    }
  }
}

function show(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : (JSON.stringify(value) ?? '')
}

export function readFiles(folder: string, places: Places): void {
  for (const file of [
    'msgLog.html',
    'errorLog.html',
    ...readdirSync(join(folder, 'data')).map((name) => `data/${name}`),
  ])
    places.set(file, readFileSync(join(folder, file), 'latin1'))
}
