/**
 * The cluster of `deploy/cluster/`, from Debian's packages, as processes on the loopback: three etcd, two PostgreSQL under
 * Patroni. The links of each PostgreSQL machine go through proxies, so that it can be cut off.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'
import { hasRoomInMemory, place } from './memory-folder.ts'
import { replaceAll } from './proxies.ts'

const programs = { etcd: 'etcd-server', patroni: 'patroni', haproxy: 'haproxy', pg_ctl: 'postgresql' }
const passwords = { superuser: 'superuser-password', replication: 'replication-password', rewind: 'rewind-password' }
const addresses = { machines: ['10.0.0.21', '10.0.0.22', '10.0.0.23'], network: '10.0.0.0/24' } as const

export interface DatabaseCluster {
  readonly nodes: readonly [DatabaseNode, DatabaseNode]
  readonly etcd: readonly RestartableServer[]
  /** What is added to HAProxy's configuration, with the database at this port. */
  haproxy(port: number): string
  /** `postgres://…` of the superuser, through any port that leads to a server. */
  url(port: number): string
  /** One is the primary, the other its synchronous standby, and Patroni knows. @returns the primary */
  settled(signal?: AbortSignal): Promise<DatabaseNode>
  close(): Promise<void>
}

export interface RestartableServer {
  /** As the kernel or a power failure ends it. */
  kill(): Promise<void>
  /** As systemd starts it again. */
  start(): void
}

export interface DatabaseNode {
  readonly name: string
  /** Of PostgreSQL itself, behind the proxy. */
  readonly port: number
  /** PostgreSQL alone. */
  killServer(): void
  /** Patroni and PostgreSQL. */
  readonly machine: RestartableServer
  /** From HAProxy, the other machine and etcd; or from etcd alone. */
  cutOff(links?: 'all' | 'etcd'): void
  heal(): void
  /** Patroni's answer: it is the primary and holds the lock. */
  isPrimary(): Promise<boolean>
  log(): string
}

/** @returns what is missing; undefined where all is there, or can be installed by `installPrograms` */
export function missingPrograms(): string | undefined {
  const missing = findMissing()
  if (missing.length === 0 || mayInstall()) return undefined
  return `etcd, Patroni, HAProxy and PostgreSQL: apt-get install --no-install-recommends ${missing.join(' ')}`
}

/** Debian's packages, without a database of their own and without starting a service. */
export function installPrograms(): void {
  const missing = findMissing()
  if (missing.length === 0) return
  const configuration = '/etc/postgresql-common/createcluster.conf'
  if (!existsSync(configuration)) {
    mkdirSync(dirname(configuration), { recursive: true })
    writeFileSync(configuration, 'create_main_cluster = false\n')
  }
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' }
  const options = ['install', '--yes', '--no-install-recommends', '--option=Dpkg::Options::=--force-confold']
  execFileSync('apt-get', ['update', '--quiet'], { env, stdio: 'pipe' })
  execFileSync('apt-get', [...options, ...missing], { env, stdio: 'pipe' })
}

function findMissing(): readonly string[] {
  return Object.entries(programs).flatMap(([program, debianPackage]) => (find(program) ? [] : [debianPackage]))
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0
}

/** By its path: the versions of PostgreSQL have folders of their own, the newest last. */
export function find(program: string): string | undefined {
  return ['/usr/bin', '/usr/sbin', ...globSync('/usr/lib/postgresql/*/bin').sort(byVersion)]
    .map((folder) => join(folder, program))
    .findLast(existsSync)
}

const byVersion = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true })

const template = (name: string) => readFileSync(join(import.meta.dirname, '../../deploy/cluster', name), 'utf8')

/** Ports of one PostgreSQL machine. */
export interface NodePorts {
  readonly server: number
  readonly rest: number
  /** What the others call in place of them. */
  readonly serverProxy: number
  readonly restProxy: number
}

export const configurations = {
  etcd: (index: number, folder: string, clients: readonly number[], peers: readonly number[]) => {
    const text = replaceAll(template('etcd.env'), [
      ['ETCD_NAME=etcd1', `ETCD_NAME=etcd${index + 1}`],
      ['/var/lib/etcd', folder],
      ...addresses.machines.map((address, at) => [`=http://${address}:2380`, `=@${at}`] as const),
      ['http://10.0.0.21:2379', `http://127.0.0.1:${clients[index]}`],
      ['URLS=@0', `URLS=http://127.0.0.1:${peers[index]}`],
      ...addresses.machines.map((_, at) => [`=@${at}`, `=http://127.0.0.1:${peers[at]}`] as const),
    ])
    return Object.fromEntries(Array.from(text.matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value]))
  },
  patroni: (name: string, folder: string, ports: NodePorts, etcd: readonly number[]) =>
    replaceAll(template('patroni.yml'), [
      ['name: db1', `name: ${name}`],
      [
        `hosts: ${addresses.machines.map((address) => `${address}:2379`).join(',')}`,
        `hosts: ${etcd.map((port) => `127.0.0.1:${port}`).join(',')}\n  use_proxies: true`,
      ],
      [' listen: 10.0.0.21:8008', ` listen: 127.0.0.1:${ports.rest}`],
      ['connect_address: 10.0.0.21:8008', `connect_address: 127.0.0.1:${ports.restProxy}`],
      ['listen: 10.0.0.21,127.0.0.1:5432', `listen: 127.0.0.1:${ports.server}`],
      ['connect_address: 10.0.0.21:5432', `connect_address: 127.0.0.1:${ports.serverProxy}`],
      ['/var/lib/postgresql/15/', `${folder}/`],
      ['/var/lib/postgresql/15-', `${folder}/`],
      ['/usr/lib/postgresql/15/bin', dirname(find('pg_ctl') ?? '')],
      ['/var/run/postgresql', folder],
      [addresses.network, '127.0.0.1/32'],
      ['mode: automatic', 'mode: "off"'], // it would reset this machine
    ]),
  haproxy: (port: number, nodes: readonly NodePorts[]) =>
    replaceAll(template('haproxy-database.cfg'), [
      ['bind 127.0.0.1:5432', `bind 127.0.0.1:${port}`],
      [' check port 8008 inter', ' check inter'],
      ...nodes.map(
        ({ serverProxy, restProxy }, at) =>
          [`${addresses.machines[at]}:5432`, `127.0.0.1:${serverProxy} port ${restProxy}`] as const,
      ),
    ]),
}

export async function startDatabaseCluster(findPort: () => Promise<number>): Promise<DatabaseCluster> {
  // Five servers that sync each commit would wait for one disk, and etcd would lose its leader
  const folder = mkdtempSync(join(hasRoomInMemory() ? place : tmpdir(), 'ig-cluster-'))
  const identity = findIdentity()
  const makeFolder = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700 })
    if (identity) chownSync(path, identity.uid, identity.gid)
    return path
  }
  if (identity) chownSync(folder, identity.uid, identity.gid)
  const findPorts = async (count: number) => {
    const ports = new Set<number>()
    while (ports.size < count) ports.add(await findPort())
    return [...ports]
  }
  const all = await findPorts(14)
  const [clients, peers] = [all.slice(0, 3), all.slice(3, 6)]
  const etcd = [0, 1, 2].map((index) => {
    const own = makeFolder(`etcd${index + 1}`)
    const env = configurations.etcd(index, own, clients, peers)
    return keepProcess(() => [find('etcd') ?? '', []], { ...identity, cwd: own, env }, join(own, 'log'))
  })
  const nodePorts = [0, 1].map((at) => {
    const [server = 0, rest = 0, serverProxy = 0, restProxy = 0] = all.slice(6 + 4 * at)
    return { server, rest, serverProxy, restProxy }
  })
  const open = async (ports: NodePorts, at: number) =>
    openNode(`db${at + 1}`, makeFolder(`db${at + 1}`), ports, clients, identity)
  for (const one of etcd) one.start()
  const nodes = await Promise.all(nodePorts.map(open))
  for (const { machine } of nodes) machine.start()
  const [first, second] = nodes
  if (!first || !second) throw new Error('two nodes')
  const settled = async (signal?: AbortSignal) => {
    const patience = AbortSignal.any([AbortSignal.timeout(180_000), ...(signal ? [signal] : [])])
    for (;;) {
      for (const node of nodes) if (await node.hasStandby()) return node
      if (patience.aborted)
        throw new Error(`The cluster is not whole again:\n${nodes.map((node) => node.log()).join('\n\n')}`)
      await sleep(100)
    }
  }
  return {
    nodes: [first, second],
    etcd,
    haproxy: (port) => configurations.haproxy(port, nodePorts),
    url: (port) => `postgres://postgres:${passwords.superuser}@127.0.0.1:${port}/postgres`,
    settled,
    async close() {
      for (const { heal, machine } of nodes) {
        heal()
        await machine.kill()
      }
      for (const one of etcd) await one.kill()
      for (const { close } of nodes) await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Neither Patroni nor PostgreSQL runs as root; the package makes this user. */
function findIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

interface OwnNode extends DatabaseNode {
  /** It is the primary, and the other one its synchronous standby. */
  hasStandby(): Promise<boolean>
  close(): Promise<void>
}

async function openNode(
  name: string,
  folder: string,
  ports: NodePorts,
  etcd: readonly number[],
  identity: { uid: number; gid: number } | undefined,
): Promise<OwnNode> {
  const etcdProxies = await Promise.all(etcd.map((port) => openFaultProxy(port)))
  const ownProxies = [
    await openFaultProxy(ports.server, '127.0.0.1', ports.serverProxy),
    await openFaultProxy(ports.rest, '127.0.0.1', ports.restProxy),
  ]
  const links: Readonly<Record<'all' | 'etcd', readonly FaultProxy[]>> = {
    all: [...etcdProxies, ...ownProxies],
    etcd: etcdProxies,
  }
  let cut: readonly FaultProxy[] = []
  const file = join(folder, 'patroni.yml')
  const toEtcd = etcdProxies.map(({ port }) => port)
  writeFileSync(file, configurations.patroni(name, folder, ports, toEtcd), { mode: 0o644 })
  const env = {
    PATH: '/usr/bin:/bin',
    LC_ALL: 'C.UTF-8',
    PATRONI_SUPERUSER_PASSWORD: passwords.superuser,
    PATRONI_REPLICATION_PASSWORD: passwords.replication,
    PATRONI_REWIND_PASSWORD: passwords.rewind,
    PATRONI_RESTAPI_PASSWORD: 'restapi-password',
  }
  const command = (): [string, string[]] => [find('patroni') ?? '', [file]]
  const patroni = keepProcess(command, { ...identity, cwd: folder, env }, join(folder, 'log'))
  const data = join(folder, 'gateway')
  const killServer = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      if (readIfThere(`/proc/${pid}/cmdline`).includes(`-D\0${data}\0`)) signal(Number(pid), 'SIGKILL')
  }
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${ports.rest}${path}`, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined)
  const isPrimary = async () => (await ask('/primary'))?.status === 200
  return {
    name,
    port: ports.server,
    killServer,
    machine: {
      async kill() {
        const gone = patroni.kill() // both at once: Patroni must not see the end of the server
        killServer()
        await gone
        killServer() // what Patroni was just starting
      },
      start: patroni.start,
    },
    cutOff(which = 'all') {
      cut = links[which]
      for (const proxy of cut) proxy.swallow()
    },
    heal() {
      for (const proxy of cut) {
        proxy.pass()
        proxy.reset() // Patroni's watch of etcd has no time limit: it relies on the keep-alive, which proxies answer
      }
    },
    isPrimary,
    async hasStandby() {
      if (!(await isPrimary())) return false
      const answer = await ask('/patroni')
      const { replication = [] } = ((await answer?.json().catch(() => ({}))) ?? {}) as {
        replication?: readonly { state: string; sync_state: string }[]
      }
      const whole = await (await ask('/cluster'))?.json().catch(() => undefined)
      const members = (whole as { members?: readonly { role: string; state: string }[] } | undefined)?.members ?? []
      const standby = members.find(({ role }) => role === 'sync_standby')
      return (
        replication.some(({ state, sync_state }) => state === 'streaming' && sync_state === 'sync') &&
        /^(?:running|streaming)$/.test(standby?.state ?? '')
      )
    },
    log: () => `${name}:\n${readIfThere(join(folder, 'log')).slice(-5_000)}`,
    async close() {
      for (const proxy of links.all) await proxy.close()
    },
  }
}

function keepProcess(
  command: () => [string, string[]],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly uid?: number; readonly gid?: number },
  log: string,
): RestartableServer {
  let child: ChildProcess | undefined
  const abandon = () => void child?.kill('SIGKILL') // where the ordeal ends without closing
  process.once('exit', abandon)
  return {
    start() {
      const [program, args] = command()
      const script = `exec "$0" "$@" >>'${log}' 2>&1`
      child = spawn('/bin/sh', ['-c', script, program, ...args], { ...options, stdio: 'ignore' })
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
