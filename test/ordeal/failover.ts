/**
 * The cluster of `deploy/cluster/` under POSTs: PostgreSQL is killed, its machine is killed or cut off, an etcd is killed.
 * Writes are back in time, what was acknowledged stays, and never do two servers write (docs/how-to/cluster.md).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { send } from '../support/client.ts'
import {
  type DatabaseCluster,
  type DatabaseNode,
  installPrograms,
  missingPrograms,
  startDatabaseCluster,
} from '../support/database-cluster.ts'
import { type RunningProxy, startProxy } from '../support/proxies.ts'
import { asBin, countTwoWriters, findQuantile, maxGap, type TimelineWrite, type Write } from './failover-counts.ts'
import { connector, findPort, type OrdealProject, openProject, rowsOfPost } from './instance.ts'
import type { Ordeal, Random, Tally } from './ordeal.ts'

/** Seconds until writes are back: of how many of all faults of the kind. */
const limits = {
  killed: { seconds: 15, share: 0.95 },
  machine: { seconds: 45, share: 1 },
  cut: { seconds: 45, share: 1 },
  part: { seconds: 15, share: 1 },
} as const

interface Way {
  readonly kind: keyof typeof limits
  /** What happens, until it is repaired. */
  run(site: Site, primary: DatabaseNode, random: Random): Promise<void>
}

const killed: Way = { kind: 'killed', run: async (_, primary) => primary.killServer() }
const machine: Way = {
  kind: 'machine',
  async run(_, { machine }, random) {
    await machine.kill()
    await sleep(1_000 + random() * 19_000) // systemd restarts Patroni after a second; a machine takes longer to start
    machine.start()
  },
}
const cutOff: Way = {
  kind: 'cut',
  async run({ cluster }, primary, random) {
    primary.cutOff()
    await untilOtherLeads(cluster, primary)
    await sleep(random() * 3_000)
    primary.heal()
  },
}
const cutFromEtcd: Way = {
  kind: 'cut',
  async run({ cluster }, primary) {
    primary.cutOff('etcd')
    await untilOtherLeads(cluster, primary)
    primary.heal()
  },
}
const etcd: Way = {
  kind: 'part',
  async run({ cluster }, _, random) {
    const one = cluster.etcd[Math.floor(random() * cluster.etcd.length)]
    await one?.kill()
    await sleep(3_000)
    one?.start()
  },
}

/** Repeated in this order; 32 trials have 20 killed servers, five killed machines and five cut off in some way. */
const block = [killed, machine, killed, cutOff, killed, killed]
const ways: readonly Way[] = [
  ...block,
  ...[killed, machine, killed, cutFromEtcd, killed, killed],
  etcd,
  ...block,
  ...block,
  etcd,
  ...block,
]

export const failover: Ordeal = {
  name: 'failover',
  title:
    'three etcd, two PostgreSQL under Patroni, two HAProxy, two gateways: PostgreSQL, its machine or its network fails under POSTs',
  figure:
    'lost 0, two writers 0, calls without rows 0 failed; writes back: killed p95 <= 15 s, machine or network <= 45 s',
  trials: ways.length,
  needs: missingPrograms,
  async open({ signal, say }) {
    const site = await openSite(say)
    return {
      trial: (index, random) => oneFault(site, ways[index % ways.length] ?? killed, `${index}-`, random, signal),
      close: site.close,
    }
  },
  judge(tally, trials) {
    const {
      acknowledged = 0,
      lost = 0,
      half = 0,
      twoWriters = 0,
      plain = 0,
      plainFailed = 0,
      refusedButStored = 0,
    } = tally
    const faults: string[] = []
    if (lost + half > 0) faults.push(`${lost} acknowledged POSTs are not stored, ${half} in part`)
    if (refusedButStored > 0) faults.push(`${refusedButStored} POSTs were refused with 503 and are stored`)
    if (twoWriters > 0) faults.push(`${twoWriters} writes were acknowledged by a server that had a successor`)
    if (plainFailed > 0) faults.push(`${plainFailed} of ${plain} calls without rows failed`)
    for (const [kind, { seconds, share }] of Object.entries(limits)) {
      const took = findQuantile(tally, kind, share)
      if (took > seconds) faults.push(`${kind}: writes were back after ${took} s, not within ${seconds} s`)
    }
    if (acknowledged < 50 * trials || plain < 50 * trials) faults.push('too few calls to tell')
    return faults
  },
}

interface Site {
  readonly cluster: DatabaseCluster
  readonly project: OrdealProject
  readonly proxies: readonly RunningProxy[]
  /** Path of the URL: the database of the gateways. */
  readonly database: string
  /** All that was ever acknowledged. */
  readonly ledger: Set<string>
  close(): Promise<void>
}

async function openSite(say: (line: string) => void): Promise<Site> {
  say('installing etcd, Patroni, HAProxy and PostgreSQL, where they are missing')
  installPrograms()
  say('starting the cluster')
  const cluster = await startDatabaseCluster(findPort)
  const opened: (() => Promise<unknown>)[] = [() => cluster.close()]
  const close = async () => {
    for (const one of opened.reverse()) await one()
  }
  try {
    await cluster.settled()
    const plain = [await findPort(), await findPort()] as const
    const databasePorts = [await findPort(), await findPort()]
    const proxies: RunningProxy[] = []
    for (const port of databasePorts) {
      const proxy = await startProxy('haproxy', { plain, more: cluster.haproxy(port) })
      opened.push(async () => proxy[Symbol.asyncDispose]())
      proxies.push(proxy)
      await untilRouted(proxy)
    }
    const urls = databasePorts.map((port) => cluster.url(port))
    const project = await openProject('PostgreSQL', urls[0])
    // It waits for a standby to drop its database, which is removed with the cluster anyway
    opened.push(() => Promise.race([project.close(), sleep(10_000)]).catch(() => {}))
    const database = new URL(project.url).pathname
    for (const [at, port] of plain.entries()) {
      const url = Object.assign(new URL(urls[at] ?? ''), { pathname: database }).href
      // On one machine all of it shares the processors: what the gateways would shed for that is another ordeal's subject
      await project.start({ port, env: { IG_DATABASE: url, IG_LIMITS_OVERLOADDELAY: '24h' }, workers: 1 })
    }
    const site = { cluster, project, proxies, database, ledger: new Set<string>(), close }
    await addTimeline(site)
    return site
  } catch (error) {
    await close()
    throw error
  }
}

/** Each row gets the timeline of the server that it was written on. */
async function addTimeline(site: Site): Promise<void> {
  await onPrimary(site, (client) =>
    client.query(
      `alter table "NOTE" add column "TIMELINE" text default substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`,
    ),
  )
}

async function oneFault(site: Site, way: Way, prefix: string, random: Random, signal: AbortSignal): Promise<Tally> {
  const primary = await site.cluster.settled(signal)
  const load = openLoad(site, prefix)
  await load.acknowledged(20)
  await sleep(random() * 2_000)
  const fault = performance.now()
  await way.run(site, primary, random)
  await load.acknowledgedAfter(performance.now())
  await site.cluster.settled(signal)
  await load.acknowledgedAfter(performance.now())
  const { writes, outcomes, direct } = await load.stop()
  const gap = maxGap(writes, fault)
  const most = { killed: 'maxKilled', machine: 'maxMachine', cut: 'maxCut', part: 'maxPart' }[way.kind]
  return { ...outcomes, ...asBin(way.kind, gap), [most]: gap, ...(await compare(site, load, prefix, writes, direct)) }
}

/** Half of the callers use each HAProxy; two writers go past both, to either server. */
function openLoad({ cluster, proxies, database }: Site, prefix: string) {
  const writes: Write[] = []
  const direct: TimelineWrite[] = []
  const refused: string[] = []
  const outcomes = { acknowledged: 0, refused: 0, unsure: 0, otherwise: 0, plain: 0, plainFailed: 0, maxPlain: 0 }
  /** Of calls without rows, by status. */
  const failures: Record<string, number> = {}
  const over = new AbortController()
  let count = 0
  const call = async (url: string, line: string) => {
    const id = `${prefix}${(count += 1)}`
    const begun = performance.now()
    const options = { headers: { 'x-id': id }, signal: AbortSignal.timeout(60_000) }
    const status = await send(url, `${line.replace(' ', ` ${connector}/`)}`, options).then(
      (answer) => answer.status,
      () => undefined,
    )
    const ended = performance.now()
    await sleep(status === 200 ? 20 : 100)
    return { id, begun, ended, status }
  }
  const post = async (url: string) => {
    const { status, ...write } = await call(url, 'POST WRITE.v1')
    if (status === 200) writes.push(write)
    if (status === 503) refused.push(write.id)
    outcomes[status === 200 ? 'acknowledged' : status === 503 ? 'refused' : status === 500 ? 'unsure' : 'otherwise'] +=
      1
  }
  const get = async (url: string) => {
    const { begun, ended, status } = await call(url, 'GET READ.v1')
    outcomes.plain += 1
    if (status !== 200) {
      outcomes.plainFailed += 1
      const kind = `plain${status ?? 'Broken'}`
      failures[kind] = (failures[kind] ?? 0) + 1
    }
    outcomes.maxPlain = Math.max(outcomes.maxPlain, ended - begun)
  }
  const repeat = async (one: (url: string) => Promise<void>, url: string) => {
    while (!over.signal.aborted) await one(url)
  }
  const running = proxies.flatMap(({ plainUrl }) => [post, post, get].map((one) => repeat(one, plainUrl)))
  const past = cluster.nodes.map(async ({ name, port }) => {
    const url = Object.assign(new URL(cluster.url(port)), { pathname: database }).href
    for (let at = 0; !over.signal.aborted; at += 1) {
      await writeDirectly(url, `${prefix}${name}-${at}-`, direct, over.signal)
      await sleep(250)
    }
  })
  const until = async (isSo: () => boolean) => {
    const patience = AbortSignal.timeout(180_000)
    while (!isSo()) {
      if (patience.aborted) throw new Error(`no write was acknowledged: ${JSON.stringify(outcomes)}`)
      await sleep(20)
    }
  }
  return {
    refused,
    acknowledged: (least: number) => until(() => writes.length >= least),
    acknowledgedAfter: (time: number) => until(() => (writes.at(-1)?.begun ?? 0) > time),
    async stop() {
      over.abort()
      await Promise.all([...running, ...past])
      return { writes, outcomes: { ...outcomes, ...failures }, direct }
    },
  }
}

/** One row set after the other, on one connection, until it breaks: as a client that has the address of the server itself. */
async function writeDirectly(url: string, prefix: string, direct: TimelineWrite[], signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  const give = () => client.connection.stream.destroy() // it may wait for the other server
  signal.addEventListener('abort', give)
  try {
    await client.connect()
    for (let at = 0; !signal.aborted; at += 1) {
      const id = `${prefix}${at}`
      const begun = performance.now()
      const text = `insert into "NOTE" ("ID", "PART") select $1, generate_series(1, ${rowsOfPost}) returning "TIMELINE" as timeline`
      const { rows } = await client.query<{ timeline: string }>(text, [id])
      direct.push({ id, begun, ended: performance.now(), timeline: rows[0]?.timeline ?? '' })
      await sleep(50)
    }
  } catch {
    // A standby, or a server that is away: again, on another connection.
  } finally {
    signal.removeEventListener('abort', give)
    give()
  }
}

/** All that was acknowledged since the cluster was started, against what the primary has now. */
async function compare(
  site: Site,
  { refused }: { readonly refused: readonly string[] },
  prefix: string,
  writes: readonly Write[],
  direct: readonly TimelineWrite[],
): Promise<Tally> {
  for (const { id } of [...writes, ...direct]) site.ledger.add(id)
  const { rows } = await onPrimary(site, (client) =>
    client.query<{ id: string; rows: number; timeline: string }>(
      `select "ID" as id, count(*)::int as rows, max("TIMELINE") as timeline from "NOTE" group by "ID"`,
    ),
  )
  const stored = new Map(rows.map((row) => [row.id, row]))
  const placed = writes.map((write) => ({ ...write, timeline: stored.get(write.id)?.timeline ?? '' }))
  return {
    direct: direct.length,
    lost: [...site.ledger].filter((id) => !stored.has(id)).length,
    half: rows.filter(({ id, rows }) => id.startsWith(prefix) && rows !== rowsOfPost).length,
    refusedButStored: refused.filter((id) => stored.has(id)).length,
    twoWriters: countTwoWriters([...placed.filter(({ timeline }) => timeline !== ''), ...direct]),
  }
}

async function onPrimary<T>({ cluster, database }: Site, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { port } = await cluster.settled()
  const url = Object.assign(new URL(cluster.url(port)), { pathname: database }).href
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function untilOtherLeads({ nodes }: DatabaseCluster, primary: DatabaseNode): Promise<void> {
  const patience = AbortSignal.timeout(120_000)
  for (;;) {
    for (const node of nodes) if (node !== primary && (await node.isPrimary())) return
    if (patience.aborted) throw new Error(`No other server took over:\n${nodes.map((node) => node.log()).join('\n\n')}`)
    await sleep(100)
  }
}

/** HAProxy takes either server for the primary until it has asked both. */
async function untilRouted(proxy: RunningProxy): Promise<void> {
  const patience = AbortSignal.timeout(30_000)
  for (;;) {
    const lines = (await proxy.command('show stat')).split('\n').filter((line) => /^database,db\d,/.test(line))
    if (lines.filter((line) => line.includes(',UP,')).length === 1 && lines.length === 2) return
    if (patience.aborted) throw new Error(`HAProxy found no primary:\n${lines.join('\n')}`)
    await sleep(100)
  }
}
