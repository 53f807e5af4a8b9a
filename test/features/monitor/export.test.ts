/** The list of the monitor as a file: whole, filtered, safe in a spreadsheet, and read no further than it is sent (specification 21.18). */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PageRequest } from '../../../src/features/monitor/list.ts'
import { openMonitorStore } from '../../../src/features/monitor/monitor-store.ts'
import type { MonitoredTransaction } from '../../../src/features/monitor/monitored-transaction.ts'
import { isOpenMonitor } from '../../../src/features/monitor/open.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { ig, root } from '../../support/cli.ts'
import { forEachDatabase, type TestDatabase } from '../../support/databases.ts'
import { fast } from './fast.ts'

const exampleFolder = join(root, 'examples/reference')
const begin = Date.parse('2026-11-21T12:00:00Z')
const formula = '=HYPERLINK("http://x")'

function transaction(at: number): MonitoredTransaction {
  const isError = at % 4 === 0
  return {
    transactionId: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    time: begin + at,
    durationMs: 1.5,
    method: 'GET',
    url: `/ECHO.v1/${at}`,
    httpStatus: isError ? 401 : 200,
    outcome: isError ? 'refused' : 'served',
    refusal: isError ? 'basicRejected' : undefined,
    endedBy: isError ? 'authentication' : 'handler',
    reason: isError ? 'wrong password (claimed: MALLORY)' : undefined,
    node: 'LOCAL_NODE',
    operation: 'ECHO_GET.v1',
    operator: at === 1 ? formula : 'DEMO',
    isCached: false,
    isSlow: false,
    remoteAddress: '127.0.0.1',
    revision: 1,
    instance: 'one',
    messages: undefined,
  }
}

const count = 10_000
/** Milliseconds that a page takes at least. */
const pause = 20

/** With as many transactions as one page of a search looks through, and the pages that are read. */
async function open(t: TestContext, database: TestDatabase) {
  const admin = await openTestAdmin(t, {
    database,
    features: fast,
    properties: { 'ig.monitor': 'on', 'ig.monitor.days': '3650' },
  })
  const store = await openMonitorStore(admin.opened.gateway.settings.database)
  t.after(() => store.close())
  for (let from = 0; from < count; from += 1000) {
    const transactions = Array.from({ length: 1000 }, (_, at) => transaction(from + at))
    await store.append({ transactions, losses: [], isRepeated: false })
  }
  const monitor = admin.features.find(isOpenMonitor)
  assert.ok(monitor)
  const opened = await monitor.monitorStore()
  const { list } = opened
  const read: PageRequest[] = []
  Object.assign(opened, {
    async list(request: PageRequest) {
      read.push(request)
      await sleep(pause)
      return list(request)
    },
  })
  return { ...admin, read }
}

const file = '/api/monitor/transaction-file'
const linesOf = (text: string) => text.trimEnd().split(/\r?\n/)

forEachDatabase((database) => {
  test(`21.18, 19.12, 21.14 all transactions that match are one file with every field, in which no cell is a formula; a viewer gets no claimed name (${database.name})`, async (t) => {
    const { ask } = await open(t, database)
    const { headers, body } = await ask(`GET ${file}`)
    assert.deepEqual(
      [headers.get('content-type'), headers.get('content-disposition')],
      ['text/csv; charset=utf-8', 'attachment; filename="calls.csv"'],
    )
    const [head, ...rows] = linesOf(body)
    assert.equal(
      head?.replace('\uFEFF', ''),
      'transactionId,time,durationMs,status,httpStatus,outcome,refusal,reason,method,url,node,operation,operator,claimed,isCached,isSlow,remoteAddress,revision,instance,hasMessages',
    )
    assert.deepEqual([rows.length, new Set(rows).size], [count, count])
    assert.equal(
      rows.at(-2),
      '00000000-0000-4000-8000-000000000001,2026-11-21T12:00:00.001Z,1.5,Done,200,served,,,GET,/ECHO.v1/1,LOCAL_NODE,ECHO_GET.v1,"\'=HYPERLINK(""http://x"")",,false,false,127.0.0.1,1,one,false',
    )

    const filter = 'refusal=basicRejected&from=2026-11-21T12:00:05Z'
    const lines = linesOf((await ask(`GET ${file}?format=jsonl&${filter}`)).body as string)
    const { body: counted } = await ask(`GET /api/monitor/count?${filter}`)
    assert.deepEqual([lines.length, counted.count], [1250, 1250])
    const { body: listed } = await ask(`GET /api/monitor/transactions?${filter}&limit=100`)
    assert.deepEqual(
      lines.slice(0, 100).map((line) => JSON.parse(line)),
      listed.items,
    )
    const { body: seen } = await ask(`GET ${file}?format=jsonl&url=v1/9996`, { as: 'viewer' })
    assert.deepEqual(
      linesOf(seen).map((line) => [JSON.parse(line).url, JSON.parse(line).claimed, /MALLORY/.test(line)]),
      [['/ECHO.v1/9996', null, false]],
    )
    const refused = await Promise.all([
      ask(`GET ${file}?claimed=mallory`, { as: 'viewer' }),
      ask(`GET ${file}?format=xlsx`),
      ask(`GET ${file}`, { as: 'nobody' }),
    ])
    assert.deepEqual(
      refused.map(({ status }) => status),
      [403, 400, 401],
    )
  })

  test(`21.18, 31.1 \`ig call export\` writes the same file, of a running gateway and of the database (${database.name})`, async (t) => {
    const { ask, admin, opened } = await open(t, database)
    const { body } = await ask('POST /api/tokens', { body: { name: 'ci', role: 'viewer' } })
    const expected = `GET ${file}?outcome=refused&format=jsonl`
    const folder = mkdtempSync(join(tmpdir(), 'ig-export-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const env = {
      IG_ADMIN_TOKEN: String(body.token),
      IG_DATABASE: opened.gateway.settings.database,
      IG_MONITOR: 'on',
    }
    const run = (...args: readonly string[]) =>
      ig(['call', 'export', '--outcome', 'refused', '--format', 'jsonl', ...args], { cwd: exampleFolder, env })
    const out = join(folder, 'calls.jsonl')
    assert.equal((await run('--url', admin.url, '--out', out)).code, 0)
    assert.equal(readFileSync(out, 'utf8'), (await ask(expected, { as: 'viewer' })).body)
    assert.equal((await run()).stdout, (await ask(expected)).body)
    const refused = await run('--url', admin.url, '--claimed', 'mallory')
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /needs the role operator/)
  })

  test(`21.18 a file whose client has left is read no further (${database.name})`, async (t) => {
    const { admin, sessionOf, read } = await open(t, database)
    const request = get(admin.url + file, { headers: await sessionOf('viewer') })
    const left = new Promise((resolve) => request.once('close', resolve))
    request.once('response', (response) => response.once('readable', () => request.destroy()))
    request.on('error', () => {})
    await left
    let pages: number
    do {
      pages = read.length
      await sleep(10 * pause)
    } while (pages < read.length)
    assert.ok(pages < count / 500, `${pages} pages were read`)
  })
})
