/** Instances of `ig start` for ordeals, on databases of their own: started, watched and ended outside of any test. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import { type IgProcess, startIg } from '../support/ig-process.ts'
import { installed } from '../support/installed.ts'
import { patience, unshed } from '../support/patience.ts'
import { testKey } from '../support/secret-key.ts'

export const connector = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

/** How many rows a POST of `WRITE` stores, in two statements: half of them would show. */
export const rowsOfPost = 5

const files: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'gateway.config.ts': `
const operation = { service: 'ORDEAL', uriTemplates: ['/'] }
export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'ORDEAL' }],
  operations: [
    { ...operation, name: 'WRITE', method: 'POST', handler: 'handlers/ordeal.ts#Write' },
    { ...operation, name: 'READ', method: 'GET', handler: 'handlers/ordeal.ts#Read' },
  ],
  permissionLists: [{ name: 'ALL', services: ['ORDEAL'] }],
}`,
  'migrations/0001-note.ts': `
export async function up(database) {
  await database.schema.createTable('NOTE').addColumn('ID', 'varchar(40)').addColumn('PART', 'integer').execute()
  await database.schema.createIndex('NOTE_ID').on('NOTE').column('ID').execute()
}`,
  'handlers/ordeal.ts': `
const answer = (request, { broker }) => {
  const response = broker.createMessage(request.operationName, 'response')
  response.setContentString('done')
  return response
}
export class Write {
  async onRequest(request, context) {
    const id = request.getHeader('x-id')
    await context.database.insertRows('NOTE', ['ID', 'PART'], [[id, 1], [id, 2], [id, 3]])
    await context.database.insertRows('NOTE', ['ID', 'PART'], [[id, 4], [id, 5]])
    return answer(request, context)
  }
}
export class Read {
  onRequest(request, context) {
    return answer(request, context)
  }
}`,
}

export interface OrdealProject {
  readonly database: 'SQLite' | 'PostgreSQL'
  /** What `ig.database` says. */
  readonly url: string
  start(options?: StartOptions): Promise<OrdealInstance>
  /** How many rows each id has, of those that begin so. */
  count(prefix: string): Promise<ReadonlyMap<string, number>>
  close(): Promise<void>
}

export interface StartOptions {
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
  readonly workers?: number
}

export interface OrdealInstance extends IgProcess {
  readonly url: string
  readonly pid: number
  /** Of the processes that it has started. */
  workers(): readonly number[]
}

/**
 * @param place folder of an SQLite file, by default the project's; or URL of a PostgreSQL server, by default the one that
 * `IG_TEST_POSTGRES` names
 * @param more files, or others in place of the project's
 */
export async function openProject(
  database: OrdealProject['database'],
  place?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<OrdealProject> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-ordeal-'))
  for (const [name, text] of Object.entries({ ...files, ...more })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(installed, join(folder, 'node_modules/integration-gateway'))
  const { url, query, remove } = await openPlace(database, folder, place)
  const store = await openStore(url)
  await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
  await store.close()
  const instances = new Set<OrdealInstance>()
  return {
    database,
    url,
    async start({ port = 0, env = {}, workers } = {}) {
      const instance = await startAnywhere(folder, port, { IG_DATABASE: url, ...env }, workers)
      instances.add(instance)
      instance.ended.then(() => instances.delete(instance))
      return instance
    },
    async count(prefix) {
      const rows = await query(
        `select "ID" as id, count(*) as rows from "NOTE" where "ID" like '${prefix}%' group by "ID"`,
      )
      return new Map(rows.map(({ id, rows }) => [String(id), Number(rows)]))
    },
    async close() {
      for (const { pid, workers } of instances) for (const one of [...workers(), pid]) killProcess(one)
      await Promise.all(Array.from(instances, ({ ended }) => ended))
      await remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Place {
  readonly url: string
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  remove(): Promise<void>
}

/** @param folder of an SQLite file @param place in place of it; or URL of a PostgreSQL server */
export function openPlace(database: OrdealProject['database'], folder: string, place?: string): Promise<Place> {
  return database === 'SQLite' ? openFile(place ?? folder) : createDatabase(place)
}

async function openFile(folder: string): Promise<Place> {
  const url = join(folder, 'gateway.sqlite')
  const query = async (sql: string) => {
    const database = new DatabaseSync(url, { timeout: patience })
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }
  return { url, query, remove: async () => {} }
}

let databasesCreated = 0

async function createDatabase(server = process.env.IG_TEST_POSTGRES ?? ''): Promise<Place> {
  databasesCreated += 1
  const name = `ig_ordeal_${process.pid}_${databasesCreated}`
  const administer = async (sql: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await administer(`create database ${name}`)
  const url = Object.assign(new URL(server), { pathname: name }).href
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => {})
  return {
    url,
    query: async (sql: string) => (await pool.query<Record<string, unknown>>(sql)).rows,
    async remove() {
      await pool.end()
      await administer(`drop database if exists ${name} with (force)`)
    },
  }
}

/** Where any port will do, another program of the machine may take the one that was found: then another one. */
async function startAnywhere(...[folder, port, env, workers]: Parameters<typeof startInstance>) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await startInstance(folder, port, env, workers)
    } catch (error) {
      if (port !== 0 || tries === 3 || !/Port \d+ is in use/.test(String(error))) throw error
    }
  }
}

export async function startInstance(
  folder: string,
  port: number,
  env: Readonly<Record<string, string>>,
  workers = 2,
): Promise<OrdealInstance> {
  const serving = startIg(['start', folder, '--workers', String(workers), '--port', String(port)], {
    env: { IG_ADMIN_PORT: 'off', IG_LOG_LEVEL: '3', IG_SECRETKEY: testKey, ...unshed, ...env },
  })
  const [, url = ''] = await serving.until(/serving \S+ at (http:\S+)/)
  const pid = serving.process.pid ?? 0
  return { ...serving, url, pid, workers: () => childrenOf(pid) }
}

/** Below those that the system gives to outgoing connections: an instance finds its port free again. */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}

/** Of a process that runs; none of another. */
export function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

export function killProcess(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

/** @returns those that have not ended after so many milliseconds */
export async function untilGone(pids: readonly number[], patience: number): Promise<readonly number[]> {
  const end = performance.now() + patience
  for (;;) {
    const left = pids.filter(isAlive)
    if (left.length === 0 || performance.now() > end) return left
    await sleep(20)
  }
}

function isAlive(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '')[0]
    return state !== 'Z'
  } catch {
    return false
  }
}
