/**
 * PostgreSQL goes away under `ig start` with two workers and administration: calls that need no rows go on, the others are refused
 * in time, a worker that is killed meanwhile and an instance that is started come from the last-good copy, and all of it is back
 * with the database (specification 5.14, 17.15).
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { send } from '../support/client.ts'
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts'
import { patience } from '../support/patience.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import {
  connector,
  killProcess,
  type OrdealInstance,
  type OrdealProject,
  openProject,
  rowsOfPost,
  untilGone,
} from './instance.ts'
import type { Ordeal, Random, Tally } from './ordeal.ts'

/** How it goes away, and comes back. */
const ways = {
  killed: { leave: ({ server }: Site) => server.crash(), back: ({ server }: Site) => server.restart() },
  stopped: { leave: ({ server }: Site) => server.end(), back: ({ server }: Site) => server.restart() },
  paused: { leave: ({ server }: Site) => server.pause(), back: async ({ server }: Site) => server.resume() },
  swallowed: { leave: ({ proxy }: Site) => proxy.swallow(), back: async ({ proxy }: Site) => proxy.pass() },
} as const

/** Milliseconds of the figure. The short form of the tests has none: no test asserts a time. */
const usual = { refused: 5_000, atOnce: 1_000, back: 1_000 }
const none: typeof usual = { refused: 1e9, atOnce: 1e9, back: 1e9 }
/** Milliseconds after which a silent server is known to be silent. */
const known = 5_000
const callers = 4

interface Site {
  readonly server: PostgresServer
  readonly proxy: FaultProxy
  readonly project: OrdealProject
  readonly env: Readonly<Record<string, string>>
  instance: OrdealInstance
}

export function openOutage({
  seconds,
  isTimed = true,
}: {
  readonly seconds: number
  readonly isTimed?: boolean
}): Ordeal {
  const limits = isTimed ? usual : none
  return {
    name: 'outage',
    title: `PostgreSQL killed, stopped, paused or swallowed for ${seconds} s, with a worker killed and an instance started meanwhile`,
    figure:
      'calls without rows 0 failed; others 503 in <= 5 s, then at once; back <= 1 s; starts and workers from the copy',
    trials: 8,
    async open() {
      const site = await openSite()
      return {
        trial: (index, random) =>
          oneOutage(site, Object.keys(ways)[index % 4] as keyof typeof ways, random, `${index}-`, seconds),
        async close() {
          site.server.resume()
          await site.project.close()
          await site.proxy.close()
          await site.server.stop()
          rmSync(dirname(site.env.IG_LASTGOOD_FILE ?? ''), { recursive: true })
        },
      }
    },
    judge(tally, trials) {
      const { plain = 0, plainFailed = 0, refused = 0, other = 0, lost = 0, half = 0, refusedButStored = 0 } = tally
      const {
        maxRefused = 0,
        maxLater = 0,
        maxBack = 0,
        maxBackStarted = 0,
        failedAfter = 0,
        replaced = 0,
        started = 0,
      } = tally
      const faults: string[] = []
      if (plainFailed > 0) faults.push(`${plainFailed} calls without rows failed`)
      if (other > 0)
        faults.push(`${other} calls with rows were answered with neither 200 nor 503, nor were commits under way`)
      if (maxRefused > limits.refused) faults.push(`a refusal took ${Math.round(maxRefused)} ms`)
      if (maxLater > limits.atOnce) faults.push(`a refusal after the first 5 s took ${Math.round(maxLater)} ms`)
      const maxOfAll = Math.max(maxBack, maxBackStarted)
      if (maxOfAll > limits.back) faults.push(`calls with rows were back only after ${Math.round(maxOfAll)} ms`)
      if (isTimed && failedAfter > 0)
        faults.push(`${failedAfter} calls failed later than 1 s after the database was back`)
      if (lost + half > 0) faults.push(`${lost} acknowledged POSTs are not stored, ${half} in part`)
      if (refusedButStored > 0) faults.push(`${refusedButStored} POSTs were refused with 503 and are stored`)
      if (replaced < trials) faults.push(`${trials - replaced} workers were not replaced from the copy`)
      if (started < trials) faults.push(`${trials - started} starts did not serve from the copy`)
      if (plain < 50 * trials || refused < 10 * trials) faults.push('too few calls to tell')
      return faults
    },
  }
}

async function openSite(): Promise<Site> {
  const server = await startPostgres({ isDurable: true })
  const project = await openProject('PostgreSQL', server.url)
  const { hostname, port } = new URL(project.url)
  const proxy = await openFaultProxy(Number(port), hostname)
  const env = {
    IG_DATABASE: Object.assign(new URL(project.url), { port: String(proxy.port) }).href,
    IG_SECRETKEY: 'the secret key of the ordeal: outage',
    IG_ADMIN_PORT: '0',
    IG_LASTGOOD_FILE: join(mkdtempSync(join(tmpdir(), 'ig-outage-')), 'last-good'),
  }
  const instance = await project.start({ env })
  await instance.until(/(?:"started"[\s\S]*){3}/) // two workers and administration
  while (!existsSync(env.IG_LASTGOOD_FILE)) await sleep(50)
  return { server, project, proxy, env, instance }
}

async function oneOutage(
  site: Site,
  way: keyof typeof ways,
  random: Random,
  prefix: string,
  seconds: number,
): Promise<Tally> {
  const load = openLoad(site.instance.url, prefix)
  await sleep(1_000)
  load.phase = 'away'
  const left = performance.now()
  ways[way].leave(site)
  await sleep(random() * Math.min(5_000, seconds * 250))
  const replaced = await replaceWorker(site.instance, load)
  const other = await site.project.start({ env: site.env })
  const { status } = await send(other.url, `GET ${connector}/READ.v1`)
  const started = status === 200 && /startedFromLastGood/.test(other.log()) ? 1 : 0
  const settling = way === 'paused' || way === 'swallowed' ? known + 1_000 : 0 // what was started knows of the silence by then
  await sleep(Math.max(settling, left + seconds * 1_000 - performance.now()))

  await Promise.race([ways[way].back(site), sleep(30_000)])
  await untilAnswers(site.env.IG_DATABASE ?? '')
  load.phase = 'back'
  const back = performance.now()
  const written = [site.instance.url, other.url].map((url) => untilWritten(url, `${prefix}back-`, back))
  const [maxBack = 0, maxBackStarted = 0] = await Promise.all(written)
  await sleep(2_000)
  const tally = await load.stop(left, back)
  killProcess(other.pid, 'SIGTERM')
  for (const pid of await untilGone([other.pid], patience)) killProcess(pid)
  return {
    outages: 1,
    ...tally,
    ...(await compare(site, load, prefix)),
    replaced,
    started,
    maxBack,
    maxBackStarted,
  }
}

/** Kills the first that is not the newest, and waits for another to serve from the copy. */
async function replaceWorker(instance: OrdealInstance, load: Load): Promise<number> {
  const before = instance.log().split('startedFromLastGood').length
  const victim = instance.workers()[0]
  if (victim === undefined) return 0
  load.killedAt = performance.now()
  killProcess(victim)
  const end = performance.now() + patience
  while (performance.now() < end) {
    if (instance.log().split('startedFromLastGood').length > before) return 1
    await sleep(50)
  }
  return 0
}

interface Outcome {
  readonly kind: 'plain' | 'rows'
  readonly id: string
  readonly phase: 'before' | 'away' | 'back'
  readonly begun: number
  readonly ended: number
  /** Undefined where the connection broke. */
  readonly status: number | undefined
}

interface Load {
  phase: Outcome['phase']
  killedAt: number
  readonly outcomes: readonly Outcome[]
  stop(left: number, back: number): Promise<Tally>
}

/** Half of the callers need rows; each waits a little between two calls. */
function openLoad(url: string, prefix: string): Load {
  const outcomes: Outcome[] = []
  let isStopped = false
  let count = 0
  const call = async (kind: Outcome['kind']) => {
    const id = `${prefix}${(count += 1)}`
    const begun = performance.now()
    const { phase } = load
    const line = kind === 'plain' ? `GET ${connector}/READ.v1` : `POST ${connector}/WRITE.v1`
    const options = { headers: { 'x-id': id }, signal: AbortSignal.timeout(patience) }
    const status = await send(url, line, options).then(
      (answer) => answer.status,
      () => undefined,
    )
    outcomes.push({ kind, id, phase, begun, ended: performance.now(), status })
    await sleep(20)
  }
  const load: Load = {
    phase: 'before',
    killedAt: Number.POSITIVE_INFINITY,
    outcomes,
    async stop(left, back) {
      isStopped = true
      await Promise.all(running)
      return countOutcomes(outcomes, load.killedAt, left, back)
    },
  }
  const running = (['plain', 'rows'] as const).flatMap((kind) =>
    Array.from({ length: callers }, async () => {
      while (!isStopped) await call(kind)
    }),
  )
  return load
}

function countOutcomes(outcomes: readonly Outcome[], killedAt: number, left: number, back: number): Tally {
  const tally = { plain: 0, plainFailed: 0, written: 0, refused: 0, unsure: 0, other: 0, cut: 0, failedAfter: 0 }
  let [maxRefused, maxLater, maxPlain] = [0, 0, 0]
  for (const { kind, begun, ended, status } of outcomes) {
    const isCut = status === undefined && begun <= killedAt + 100 && ended >= killedAt // its worker was killed
    const took = ended - begun
    if (isCut) tally.cut += 1
    else if (kind === 'plain') {
      tally.plain += 1
      if (status !== 200) tally.plainFailed += 1
      maxPlain = Math.max(maxPlain, took)
    } else if (status === 200) tally.written += 1
    else if (status === 503) {
      tally.refused += 1
      maxRefused = Math.max(maxRefused, took)
      if (begun > left + known && begun < back) maxLater = Math.max(maxLater, took)
    } else if (status === 500 && begun <= left + known) tally.unsure += 1
    else tally.other += 1
    if (kind === 'rows' && status !== 200 && begun > back + usual.back) tally.failedAfter += 1
  }
  return { ...tally, maxRefused, maxLater, maxPlain }
}

/** What was answered, against what is stored. */
async function compare({ project }: Site, { outcomes }: Load, prefix: string): Promise<Tally> {
  const stored = await project.count(prefix)
  const tally = { lost: 0, half: 0, refusedButStored: 0 }
  for (const { kind, id, status } of outcomes) {
    if (kind !== 'rows') continue
    const rows = stored.get(id) ?? 0
    if (rows !== 0 && rows !== rowsOfPost) tally.half += 1
    if (status === 200 && rows === 0) tally.lost += 1
    if (status === 503 && rows > 0) tally.refusedButStored += 1
  }
  return tally
}

/** Queried every few milliseconds over its own connections. */
async function untilAnswers(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 500 })
    client.on('error', () => {})
    const answers = await client
      .connect()
      .then(() => client.query('select 1'))
      .then(
        () => true,
        () => false,
      )
    await client.end().catch(() => {})
    if (answers) return
    await sleep(10)
  }
}

/** @returns milliseconds since the database was back */
async function untilWritten(url: string, prefix: string, back: number): Promise<number> {
  for (let asked = 0; performance.now() - back < patience; asked += 1) {
    const headers = { 'x-id': `${prefix}${new URL(url).port}-${asked}` }
    const { status } = await send(url, `POST ${connector}/WRITE.v1`, { headers })
    if (status === 200) return performance.now() - back
    await sleep(10)
  }
  return 30_000
}
