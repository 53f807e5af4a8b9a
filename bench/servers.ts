/**
 * The gateway and the servers that it is compared with: each a process of its own, held to core 0, with its files in a
 * folder of its own that is removed again; all started as whoever runs them in earnest would.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../src/store/open-store.ts'
import { hashPassword } from '../src/verification/password.ts'
import { pinned } from './pinned.ts'
import type { InstalledPackage } from './published.ts'
import { demo, get } from './requests.ts'
import { exchange, headerOf, type Request, type WireReply } from './wire.ts'

export interface Server {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export interface GatewayServer extends Server {
  /** What `ig.database` says. */
  readonly database: string
}

export interface GatewayOptions {
  /** A folder of this repository; it is copied, so that what a gateway writes beside it is no one's. */
  readonly project?: string
  /** `postgres://…`; without it an SQLite file of its own. */
  readonly database?: string
  /** Of the identity provider. */
  readonly jwksUrl?: string | undefined
  /** Held to core 0, as what it is compared with is. */
  readonly isPinned: boolean
  /** The compiled package; without it the sources. */
  readonly published?: InstalledPackage
  /** Not the first start of its project, which removes the types and compiles, and keeps 20 MB of that. */
  readonly isRestarted?: boolean
  /** More settings, by the names of their variables. */
  readonly environment?: Readonly<Record<string, string>>
  /** Where a CPU profile is written when the gateway stops. */
  readonly profile?: string | undefined
}

export const root = join(import.meta.dirname, '..')
/** A project as `ig start` serves it, with GUEST and one operator more. */
export async function startGateway(options: GatewayOptions): Promise<GatewayServer> {
  const { project = 'examples/reference', jwksUrl, isPinned, profile } = options
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  copyProject(project, folder, options.published?.home)
  const database = options.database ?? join(folder, 'gateway.sqlite')
  const port = await findPort()
  const environment = {
    IG_DATABASE: database,
    ...(jwksUrl ? { IG_JSONWEBKEY: jwksUrl } : {}),
    ...options.environment,
  }
  try {
    await addOperators(database)
    const node = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []
    const { published, isRestarted } = options
    const start = () =>
      startServer(['start', folder, '--port', String(port)], port, folder, { environment, node, isPinned, published })
    if (isRestarted) await (await start()).stop()
    const server = await start()
    return { ...server, database, stop: () => server.stop().then(() => rmSync(folder, { recursive: true })) }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** `integration-gateway` is imported by its own name, as a user's project does. */
export function copyProject(project: string, folder: string, home?: string): void {
  cpSync(join(root, project), folder, { recursive: true, filter: (path) => !/\/(?:data|node_modules)$/.test(path) })
  linkPackage(folder, home)
}

/** @param home the package's folder; without it the sources */
export function linkPackage(folder: string, home = root): void {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(home, join(folder, 'node_modules/integration-gateway'))
}

async function addOperators(database: string): Promise<void> {
  const { id, email, password } = demo
  const emails = [{ type: 'work', address: email, isPrimary: true }]
  const store = await openStore(database)
  try {
    await store.operators.add({ id: 'GUEST', permissionLists: ['PUBLIC'] })
    const passwordHash = await hashPassword(password)
    await store.operators.add({ id, emails, passwordHash, permissionLists: ['REFERENCE_ALL'] })
  } finally {
    await store.close()
  }
}

export interface ServerOptions {
  readonly environment?: NodeJS.ProcessEnv
  /** Further options of Node. */
  readonly node?: readonly string[]
  readonly isPinned?: boolean
  readonly published?: InstalledPackage | undefined
  readonly probe?: Request | undefined
}

/** `ig` with these arguments; its database and logs are in the folder. */
export async function startServer(
  args: readonly string[],
  port: number,
  folder: string,
  { environment = {}, node = [], isPinned = true, published, probe }: ServerOptions = {},
): Promise<Server> {
  const source = ['--conditions=integration-gateway-source', join(root, 'bin/ig.js')]
  const program = published ? [published.ig] : source
  return startProcess([process.execPath, ...node, ...program, ...args], {
    port,
    isPinned,
    ...(probe && { probe }),
    environment: {
      IG_DATABASE: join(folder, 'gateway.sqlite'),
      IG_ADMIN_PORT: 'off',
      IG_SECRETKEY: 'a secret key for measurements: 32',
      IG_MESSAGELOG_FILENAME: join(folder, 'msgLog.html'),
      IG_ERRORLOG_FILENAME: join(folder, 'errorLog.html'),
      ...environment,
    },
  })
}

/** Gives one reply to everything. */
export function startBare(reply: WireReply): Promise<Server> {
  return startScript('bare.ts', ownHeaders(reply))
}

/** The reply as a script is told it: what `node:http` says by itself is left to it. */
export function ownHeaders({ status, headers, body }: WireReply) {
  const keepAlive = Number(/timeout=(\d+)/.exec(headerOf(headers, 'keep-alive') ?? '')?.[1])
  const pairs = Array.from({ length: headers.length / 2 }, (_, index) => headers.slice(2 * index, 2 * index + 2))
  const own = pairs.filter(([name = '']) => !/^(?:date|connection|keep-alive)$/i.test(name)).flat()
  return { keepAlive, status, headers: own, body: body.toString('base64') }
}

/** A script of this folder, which takes its port and the rest as JSON. */
export async function startScript(script: string, options: object, probe?: Request): Promise<Server> {
  const port = await findPort()
  const file = join(import.meta.dirname, script)
  return startProcess([process.execPath, file, JSON.stringify({ port, ...options })], { port, ...(probe && { probe }) })
}

export interface ProcessOptions {
  readonly port: number
  readonly environment?: NodeJS.ProcessEnv
  readonly isPinned?: boolean
  /** What it is asked until it answers. */
  readonly probe?: Request
}

export async function startProcess(
  command: readonly [string, ...string[]],
  { port, environment = {}, isPinned = true, probe = get('ready') }: ProcessOptions,
): Promise<Server> {
  const [program, ...args] = isPinned ? pinned(0, command) : command
  const env = { ...withoutSettings(process.env), ...environment }
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const said: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.length < 100 && said.push(text))
  child.on('error', (error) => said.push(error.message))
  running.add(child)
  child.on('exit', () => running.delete(child))
  const stop = () => stopProcess(child)
  try {
    await untilReady(child, port, probe)
    return { port, pid: child.pid ?? 0, stop }
  } catch (error) {
    await stop()
    throw new Error(`${command[0]}: ${(error as Error).message}\n${said.join('')}`)
  }
}

/** Whatever ends the benchmark ends what it started. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** A developer's own settings are no part of what is measured. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:IG_|NODE_OPTIONS$)/.test(name)))
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const isLate = sleep(20_000, true, { ref: false })
  if ((await Promise.race([exited, isLate])) !== true) return
  child.kill('SIGKILL')
  await exited
}

async function untilReady(child: ChildProcess, port: number, probe: Request): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(5)) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
      throw new Error('a server ended before it answered')
    const answered = await exchange(port, probe).then(
      () => true,
      () => false,
    )
    if (answered) return
  }
  throw new Error('a server did not answer within 30 seconds')
}

export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return address.port
}
