/**
 * `node --expose-gc --conditions=integration-gateway-source bench/capacity.ts [memory] [calls] [database] [idle] [logs]`
 *
 * The figures of the capacity model in docs/explanation/capacity.md: what one process, one core, one operator and one call cost.
 * `npm run bench -- bulk` has the rows per second of a large body.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Operator } from '../src/model/operator.ts'
import { openLogs } from '../src/observe/open-logs.ts'
import { openProject } from '../src/project/open-project.ts'
import { openGateway } from '../src/serve/open-gateway.ts'
import { addSampleOperators } from '../src/serve/sample-operators.ts'
import { readSettings } from '../src/settings.ts'
import { openStore } from '../src/store/open-store.ts'
import { beginning } from '../src/store/store.ts'
import { basic, send } from '../test/support/client.ts'
import { compileDefinition, defineMany } from '../test/support/many-operations.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { drive } from './drive.ts'
import { get, basic as password, tenRows } from './requests.ts'
import { processorTime } from './rounds.ts'
import { startGateway } from './servers.ts'
import type { Request } from './wire.ts'

const parts: Readonly<Record<string, () => Promise<void>>> = { memory, calls, database, idle, logs }
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0 || !globalThis.gc) {
  console.error(
    unknown.length > 0
      ? `No part ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}`
      : 'Run it with --expose-gc',
  )
  process.exit(2)
}
for (const [name, measure] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await measure()

/** Bytes of the heap for each operator (one address, one permission list) and each operation (two methods' templates). */
async function memory(): Promise<void> {
  const count = 100_000
  const folder = mkdtempSync(join(tmpdir(), 'ig-capacity-'))
  const path = join(folder, 'gateway.sqlite')
  await (await openStore(path)).close()
  const file = new DatabaseSync(path)
  const hash = `$argon2id$v=19$m=19456,t=2,p=1$${'s'.repeat(22)}$${'h'.repeat(43)}`
  file.exec('begin')
  const statements = [
    file.prepare('insert into ig_operator values (?1, ?2, ?3, 0, 1)'),
    file.prepare("insert into ig_operator_email values (?1, 'BUS', ?2, 1)"),
    file.prepare('insert into ig_operator_permission_list values (?1, ?2)'),
  ] as const
  for (let index = 0; index < count; index += 1) {
    const id = `OPERATOR_${index}`
    statements[0].run(id, `Operator number ${index}`, hash)
    statements[1].run(id, `operator.${index}@example.com`)
    statements[2].run(id, `LIST_${index % 1000}`)
  }
  file.exec('commit')
  file.close()
  const size = statSync(path).size
  const store = await openStore(path)
  let operators: Map<string, Operator> | undefined
  const perOperator = await growth(async () => {
    const changes = await store.changesSince(beginning)
    operators = new Map(changes.operators.map((operator) => [operator.id, operator]))
  })
  if (operators?.size !== count) throw new Error(`${operators?.size} operators`)
  await store.close()
  rmSync(folder, { recursive: true, force: true })
  print('an operator, in the heap of each process', `${Math.round(perOperator / count)} bytes`)
  print('an operator, in the SQLite file', `${Math.round(size / count)} bytes`)

  const operations = 10_000
  const definition = defineMany(operations)
  let catalog: unknown
  const perOperation = await growth(async () => {
    catalog = compileDefinition(definition)
  })
  if (!catalog) throw new Error('no catalog')
  print(
    'an operation, in the heap of each process, before its first call',
    `${Math.round(perOperation / operations)} bytes`,
  )
}

/** Calls that one core serves, and what else the process needs. */
async function calls(): Promise<void> {
  const gateway = await startGateway({ isPinned: true })
  const idleMemory = residentMemory(gateway.pid)
  try {
    for (const request of [
      get('METADATA.v1/'),
      get('METADATA_BASIC.v1/', password),
      get('CACHED_TIME.v1/', password),
    ]) {
      const { cost, perSecond, p99 } = await driveRow(request, gateway, 3)
      print(request.path.split('/').at(-2) ?? '', `${cost} µs of processor time, ${perSecond} calls/s, p99 ${p99} ms`)
    }
  } finally {
    print('memory of a process, before the first call', `${idleMemory} MB`)
    print('memory of a process, after all of these', `${residentMemory(gateway.pid)} MB`)
    await gateway.stop()
  }
}

/** Durable transactions of ten rows, 32 at a time, on a PostgreSQL of this machine and on SQLite. */
async function database(): Promise<void> {
  const server = await startPostgres({ isDurable: true })
  try {
    for (const url of [undefined, server.url]) {
      const gateway = await startGateway({ isPinned: false, ...(url ? { database: url } : {}) })
      const { cost, perSecond, p99 } = await driveRow(tenRows(), gateway, 4)
      const where = url ? 'PostgreSQL' : 'SQLite'
      print(
        `KEY_VALUE of ten rows, ${where}`,
        `${cost} µs of processor time of the gateway, ${perSecond} calls/s, p99 ${p99} ms`,
      )
      await gateway.stop()
    }
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    const { rows: found } = await client.query(
      `select pg_total_relation_size('"C_KEY_VALUE"') / count(*) as bytes from "C_KEY_VALUE"`,
    )
    print('a row of C_KEY_VALUE, with its indexes', `${found[0].bytes} bytes`)
    await client.end()
  } finally {
    await server.stop()
  }
}

/** What a process asks of PostgreSQL when nobody calls: it looks for changes four times a second. */
async function idle(): Promise<void> {
  const server = await startPostgres()
  const gateway = await startGateway({ isPinned: false, database: server.url, environment: { IG_WORKERS: '1' } })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const count = async () => {
    await client.query('select pg_stat_clear_snapshot()')
    const { rows } = await client.query(
      'select xact_commit::int as done, (select count(*)::int from pg_stat_activity where application_name = $1) as connections from pg_stat_database where datname = current_database()',
      ['integration-gateway'],
    )
    return rows[0] as { done: number; connections: number }
  }
  await sleep(2000)
  const [before, costBefore] = [await count(), processorTime(gateway.pid) ?? 0]
  await sleep(10_000)
  const [after, costAfter] = [await count(), processorTime(gateway.pid) ?? 0]
  print(
    'queries of an idle process',
    `${((after.done - before.done) / 10).toFixed(1)} a second, over ${after.connections} connections`,
  )
  print('processor time of an idle process', `${((costAfter - costBefore) / 10_000 / 10).toFixed(1)} % of a core`)
  await client.end()
  await gateway.stop()
  await server.stop()
}

/** Bytes of standard output and of the HTML files for each call, by level and outcome. */
async function logs(): Promise<void> {
  const count = 500
  const refused = { headers: basic('DEMO', 'wrong'), line: 'METADATA_BASIC.v1/', why: 'refused' }
  const answered = { headers: basic('DEMO'), line: 'METADATA_BASIC.v1/', why: 'answered' }
  for (const [level, logDetail, { headers, line, why }] of [
    ['3', 'none', answered],
    ['3', 'none', refused],
    ['3', 'header', answered],
    ['4', 'none', answered],
  ] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'ig-capacity-'))
    const given = {
      'ig.port': '0',
      'ig.log.level': level,
      'ig.database': join(folder, 'gateway.sqlite'),
      'ig.messageLog.filename': join(folder, 'msg.html'),
      'ig.errorLog.filename': join(folder, 'error.html'),
    }
    const overrides = Object.entries(given).map(([key, value]) => [key, { value, option: 'capacity' }] as const)
    const reference = join(import.meta.dirname, '../examples/reference')
    const settings = readSettings(reference, {}, Object.fromEntries(overrides))
    const project = await openProject(reference)
    let output = 0
    const written = openLogs(settings, { write: (text) => (output += Buffer.byteLength(text)) })
    const operations = project.configuration.operations.map((operation) => ({ ...operation, logDetail }))
    const gateway = await openGateway({
      project: { ...project, configuration: { ...project.configuration, operations } },
      settings,
      observe: written.observe,
      prepare: async (store) => void (await addSampleOperators(store, project.sampleOperators)),
    })
    const call = () => send(gateway.url, `GET /PSIGW/RESTListeningConnector/LOCAL_NODE/${line}`, { headers })
    for (let index = 0; index < count; index += 1) await call()
    await gateway.close()
    await written.close()
    const files = [settings.log.messageLogFile, settings.log.errorLogFile].map(
      (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    )
    const each = [output, files[0] ?? 0, files[1] ?? 0].map((bytes) => Math.round(bytes / count))
    print(
      `a call ${why}, level ${level}, log detail ${logDetail}`,
      `${each[0]} bytes on standard output, ${each[1]} in msgLog, ${each[2]} in errorLog`,
    )
    rmSync(folder, { recursive: true, force: true })
  }
}

async function driveRow(request: Request, gateway: Awaited<ReturnType<typeof startGateway>>, seconds: number) {
  const load = { port: gateway.port, requests: [request], connections: 32, seconds }
  await drive('own', { ...load, seconds: 2 })
  const before = processorTime(gateway.pid) ?? Number.NaN
  const measured = await drive('own', load)
  const cost = ((processorTime(gateway.pid) ?? Number.NaN) - before) / measured.answers
  return { cost: cost.toFixed(1), perSecond: Math.round(measured.perSecond), p99: measured.p99.toFixed(1) }
}

async function growth(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  await work()
  await sleep(0)
  globalThis.gc?.()
  return process.memoryUsage().heapUsed - before
}

/** In MB. */
function residentMemory(pid: number): string {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return ((Number(kilobytes) * 1024) / 1e6).toFixed(0)
}

function print(what: string, figure: string): void {
  console.log(`${what.padEnd(68)} ${figure}`)
}
