/**
 * How soon a change is in force everywhere: instances of several workers on one PostgreSQL, behind HAProxy where that is
 * installed, with calls streaming through it. Each trial makes every kind of change at once and asks every process until
 * it knows; in every second trial the database cannot be reached for a moment after the change, so that the next look at
 * the changes is lost in every process, which is counted. Then: of concurrent misses of a once-cached entry, how many runs
 * of the handler there were.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { digestConfiguration, readDocument, writeDocument } from '../src/configuration/revision.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Store } from '../src/store/store.ts'
import { hashPassword } from '../src/verification/password.ts'
import { type Answer, basic, send } from '../test/support/client.ts'
import { clusterFiles, connector } from '../test/support/cluster-project.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { findPort, linkPackage } from './servers.ts'

export interface ClusterOptions {
  readonly instances: number
  readonly workers: number
  /** With every look, and as many with a look lost. */
  readonly trials: number
}

export interface ClusterResult extends ClusterOptions {
  readonly proxy: string | undefined
  /** Milliseconds until a change was in force in every process, by kind of change. */
  readonly changes: readonly { readonly kind: string; readonly intact: Times; readonly lost: Times }[]
  /** Runs of the handler in each crowd of concurrent misses. */
  readonly misses: {
    readonly crowds: number
    readonly calls: number
    readonly maxRuns: number
    readonly meanRuns: number
  }
  readonly streamed: { readonly answered: number; readonly failed: number }
  /** Looks at the changes that failed, as the processes told, and as many as there should be at least. */
  readonly looks: { readonly lost: number; readonly toLose: number }
}

export interface Times {
  readonly median: number
  readonly p99: number
  readonly most: number
}

const root = join(import.meta.dirname, '..')

export async function measureCluster(options: ClusterOptions): Promise<ClusterResult> {
  await using opened = new AsyncDisposableStack()
  const postgres = await startPostgres()
  opened.defer(postgres.stop)
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  writeProject(folder)
  const store = await openStore(postgres.url)
  opened.defer(() => store.close())
  const passwords = { one: await hashPassword('one'), other: await hashPassword('other') }
  await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
  for (const id of ['GRANTED', 'LOCKABLE', 'CHANGING'])
    await store.operators.add({ id, permissionLists: ['ALL'], passwordHash: passwords.one })

  const log = { storeAway: 0 }
  const ports: number[] = []
  for (let index = 0; index < options.instances; index += 1) {
    const port = await findPort()
    ports.push(port)
    const stop = await startInstance(folder, postgres.url, { port, workers: options.workers, log })
    opened.defer(stop)
  }
  await addRevision(store)
  const processes = (await Promise.all(ports.map((port) => findProcesses(port, options.workers)))).flat()
  opened.defer(() => {
    for (const { close } of processes) close()
  })
  const proxy = await startProxy(folder, ports)
  if (proxy) opened.defer(proxy.stop)
  const front = proxy?.url ?? `http://127.0.0.1:${ports[0]}`
  const stream = openStream(front)
  const database = await openAdministrator(postgres.url)
  opened.defer(database.close)

  const toLose = processes.length * options.trials
  const times = new Map<string, { intact: number[]; lost: number[] }>()
  for (let trial = 0; trial < options.trials * 2; trial += 1) {
    const isLost = trial % 4 >= 2
    const isOdd = trial % 2 === 0 // every change goes back and forth
    const prepared = Object.entries(kinds).map(async ([kind, prepare]) => {
      return { kind, make: await prepare({ store, passwords, isOdd, processes }) }
    })
    const making = (await Promise.all(prepared)).map(async ({ kind, make }) => {
      const knows = await make()
      return { kind, knows, begun: performance.now() }
    })
    const made = await Promise.all(making)
    const back = isLost ? database.leave() : undefined
    const seen = made.map(async ({ kind, knows, begun }) => {
      await Promise.all(processes.map((each) => untilTrue(() => knows(each))))
      return [kind, performance.now() - begun] as const
    })
    for (const [kind, time] of await Promise.all(seen)) {
      const known = times.get(kind) ?? { intact: [], lost: [] }
      times.set(kind, known)
      known[isLost ? 'lost' : 'intact'].push(time)
    }
    await back
    await sleep(40 * Math.random()) // not in step with the looks at the changes
  }
  const misses = await measureMisses(front, Math.max(2, Math.floor(options.trials / 4)))
  const streamed = await stream.stop()
  const changes = [...times].map(([kind, { intact, lost }]) => ({ kind, intact: sum(intact), lost: sum(lost) }))
  const looks = { lost: log.storeAway, toLose }
  return { ...options, proxy: proxy?.version, changes, misses, streamed, looks }
}

/** One process of an instance, by a connection that stays with it. */
interface GatewayProcess {
  call(line: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  close(): void
}

interface Trial {
  readonly store: Store
  readonly passwords: { readonly one: string; readonly other: string }
  readonly isOdd: boolean
  readonly processes: readonly GatewayProcess[]
}

/** @returns makes the change, and what tells whether a process knows of it */
type Prepare = (trial: Trial) => Promise<() => Promise<(process: GatewayProcess) => Promise<boolean>>>

const statusOf = async ({ call }: GatewayProcess, id: string, password = 'one') =>
  (await call('GET BASIC.v1', basic(id, password))).status

const kinds: Readonly<Record<string, Prepare>> = {
  async 'new revision'({ store, isOdd }) {
    const [revision, expectedActive] = isOdd ? [1, 2] : [2, 1]
    return async () => {
      const outcome = await store.revisions.activate(revision, { expectedActive, time: Date.now() })
      if (!('activation' in outcome)) throw new Error('another revision is in force')
      return async ({ call }) => (await call('GET WHO.v1')).headers['ig-revision'] === String(revision)
    }
  },
  async 'revoked permission'({ store, isOdd }) {
    return async () => {
      await store.operators[isOdd ? 'revoke' : 'grant']('GRANTED', 'ALL')
      return async ({ call }) => {
        const { status, headers } = await call('GET BASIC.v1', basic('GRANTED', 'one'))
        return isOdd ? headers['ig-refusal'] === 'permissionDenied' : status === 200
      }
    }
  },
  async 'locked operator'({ store, isOdd }) {
    return async () => {
      await store.operators.setLocked('LOCKABLE', isOdd)
      return async (process) => (await statusOf(process, 'LOCKABLE')) === (isOdd ? 401 : 200)
    }
  },
  /** Each process has verified the former password before, so that asking with it costs nothing until it is refused. */
  async 'changed password'({ store, passwords, isOdd, processes }) {
    const [former, changed] = isOdd ? (['one', 'other'] as const) : (['other', 'one'] as const)
    await Promise.all(processes.map((process) => statusOf(process, 'CHANGING', former)))
    return async () => {
      await store.operators.setPasswordHash('CHANGING', passwords[changed])
      return async (process) =>
        (await statusOf(process, 'CHANGING', former)) === 401 && (await statusOf(process, 'CHANGING', changed)) === 200
    }
  },
  async deleteRestCache({ processes }) {
    const [first] = processes
    const before = await Promise.all(processes.map(({ call }) => call('GET CACHED.v1')))
    const stale = new Set(before.map(({ text }) => text))
    return async () => {
      await first?.call('POST FORGET.v1')
      return async ({ call }) => {
        const { status, text } = await call('GET CACHED.v1')
        return status === 200 && !stale.has(text)
      }
    }
  },
}

export const clusterChanges = Object.keys(kinds)

/** Milliseconds; each process looks four times a second, and more often while the database is away. */
const longerThanALook = 300

/** Of the server, who can take a database away from everybody, and give it back. */
async function openAdministrator(url: string) {
  const { pathname } = new URL(url)
  const database = pathname.slice(1)
  const client = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: 'template1' }).href })
  await client.connect()
  const allow = (is: boolean) => client.query(`alter database ${database} allow_connections ${is}`)
  return {
    /** Nobody can connect for a moment, and whoever was connected is cut off. */
    async leave() {
      await allow(false)
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])
      await sleep(longerThanALook)
      await allow(true)
    },
    close: () => client.end(),
  }
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue().catch(() => false))) await sleep(5)
}

/** Every crowd asks for a URL that one call had cached, and that has expired. */
async function measureMisses(url: string, crowds: number): Promise<ClusterResult['misses']> {
  const calls = 30
  const runs: number[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: calls })
  const ask = (crowd: number, plan: string) =>
    send(url, `GET ${connector}/CACHED.v1/?crowd=${crowd}`, { agent, headers: { 'x-plan': plan } })
  for (let crowd = 0; crowd < crowds; crowd += 1) {
    await ask(crowd, 'ttl=20')
    await sleep(200) // stored after the reply, and expired
    const answers = await Promise.all(Array.from({ length: calls }, () => ask(crowd, 'ttl=60000&work=150')))
    runs.push(new Set(answers.map(({ text }) => text)).size)
  }
  agent.destroy()
  return { crowds, calls, maxRuns: Math.max(...runs), meanRuns: runs.reduce((a, b) => a + b, 0) / crowds }
}

function openStream(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const counts = { answered: 0, failed: 0 }
  let isOver = false
  const work = async () => {
    while (!isOver) {
      const { status } = await send(url, `GET ${connector}/WHO.v1`, { agent }).catch(() => ({ status: 0 }))
      counts[status === 200 ? 'answered' : 'failed'] += 1
      await sleep(20)
    }
  }
  const working = Promise.all([work(), work()])
  return {
    async stop() {
      isOver = true
      await working
      agent.destroy()
      return counts
    },
  }
}

function sum(times: readonly number[]): Times {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { median: at(0.5), p99: at(0.99), most: at(1) }
}

function writeProject(folder: string): void {
  linkPackage(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(clusterFiles)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** A second revision like the first, but for a text; it is in force then. */
async function addRevision(store: Store): Promise<void> {
  const first = await store.revisions.find(1)
  if (!first) throw new Error('there is no revision')
  const steps = readDocument(first.document)
  let read = steps.next()
  while (!read.done) read = steps.next()
  const services = read.value.services.map((service) => ({ ...service, description: 'another text' }))
  const configuration = { ...read.value, services }
  const revision = { document: writeDocument(configuration), digest: digestConfiguration(configuration) }
  await store.revisions.add(revision, { expectedActive: 1, time: Date.now() })
}

interface Start {
  readonly port: number
  readonly workers: number
  readonly log: { storeAway: number }
}

async function startInstance(folder: string, database: string, { port, workers, log }: Start) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('IG_')))
  const logs = mkdtempSync(join(folder, 'logs-'))
  const settings = {
    IG_DATABASE: database,
    IG_ADMIN_PORT: 'off',
    IG_LOG_LEVEL: '2',
    IG_MESSAGELOG_FILENAME: join(logs, 'msgLog.html'),
    IG_ERRORLOG_FILENAME: join(logs, 'errorLog.html'),
    IG_RECENTTRANSACTIONS: '0',
  }
  const args = ['start', folder, '--port', String(port), '--workers', String(workers)]
  const command = ['--conditions=integration-gateway-source', join(root, 'bin/ig.js'), ...args]
  const child = spawn(process.execPath, command, {
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface(child.stdout).on('line', (line) => {
    if (line.includes('"event":"storeAway"')) log.storeAway += 1
  })
  await untilTrue(async () => {
    if (child.exitCode !== null) throw new Error('an instance ended')
    return (await send(`http://127.0.0.1:${port}`, 'GET /healthz')).status === 200
  })
  return () => end(child)
}

/** Connections are spread over the workers by the system: some are made until each worker has one. */
async function findProcesses(port: number, workers: number): Promise<readonly GatewayProcess[]> {
  const found = new Map<string, GatewayProcess>()
  while (found.size < workers) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const call: GatewayProcess['call'] = (line, headers = {}) => {
      const [method, path] = line.split(' ')
      return send(`http://127.0.0.1:${port}`, `${method} ${connector}/${path}`, { agent, headers })
    }
    const { text } = await call('GET WHO.v1')
    if (found.has(text)) agent.destroy()
    else found.set(text, { call, close: () => agent.destroy() })
  }
  return [...found.values()]
}

/** Round robin, no cookie, no stickiness. */
async function startProxy(folder: string, ports: readonly number[]) {
  const { stdout, error } = spawnSync('haproxy', ['-v'], { encoding: 'utf8' })
  if (error) return undefined
  const port = await findPort()
  const file = join(folder, 'haproxy.cfg')
  const servers = ports.map((each, index) => `  server gateway${index} 127.0.0.1:${each} check inter 1s`)
  const timeouts = ['  timeout connect 5s', '  timeout client 60s', '  timeout server 60s']
  const lines = ['defaults', '  mode http', ...timeouts, 'frontend gateway', `  bind 127.0.0.1:${port}`]
  lines.push('  default_backend gateways', 'backend gateways', '  balance roundrobin', '  option httpchk GET /healthz')
  writeFileSync(file, [...lines, ...servers, ''].join('\n'))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await untilTrue(async () => (await send(url, 'GET /healthz')).status === 200)
  return { url, version: /version (\S+)/.exec(stdout)?.[1] ?? 'unknown', stop: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
