/** HAProxy and nginx as `deploy/` configures them, on free ports of the loopback. Both come from Debian's packages. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from './certificate.ts'
import { poll } from './poll.ts'

export type ProxyName = 'haproxy' | 'nginx'

/** Where the program is missing: what is skipped, and how to have it. */
export function skipWithout(program: string, debianPackage = program): { readonly skip: string } | object {
  const { error } = spawnSync(program, ['-v'], { stdio: 'ignore' })
  if (!error) return {}
  return { skip: `${program} is not installed, so its configuration was not tried: apt-get install ${debianPackage}` }
}

export interface ProxyTargets {
  /** Ports of the two gateways' plain listeners. */
  readonly plain: readonly [number, number]
  /** Of their TLS listeners; the plain ones, where a test needs none. */
  readonly secure?: readonly [number, number]
  /** PEM: what the gateways' certificates are held against. */
  readonly authority?: string
  /** Further lines to change. */
  readonly replace?: (folder: string) => readonly (readonly [string, string])[]
  /** Applied to the whole text first. */
  readonly change?: (text: string) => string
  /** A second file of its configuration. */
  readonly more?: string
}

export interface RunningProxy extends AsyncDisposable {
  readonly plainUrl: string
  readonly secureUrl: string
  /** HAProxy alone. */
  readonly passthroughUrl: string
  readonly process: ChildProcess
  /** What it has logged of calls. */
  log(): string
  /** HAProxy's runtime interface. */
  command(line: string): Promise<string>
  /** Writes the configuration again with this change, for a reload of nginx. */
  rewrite(change: (text: string) => string): void
}

export const startProxy = (name: ProxyName, targets: ProxyTargets) =>
  name === 'haproxy' ? startHaproxy(targets) : startNginx(targets)

async function startHaproxy(targets: ProxyTargets): Promise<RunningProxy> {
  const [plain, secure, passthrough] = await findPorts(3)
  return start('haproxy.cfg', targets, {
    ports: { plain, secure, passthrough },
    replace: (folder) => [
      ['/run/haproxy/admin.sock', join(folder, 'admin.sock')],
      ['/etc/haproxy/', `${folder}/`],
      ['bind :80\n', `bind 127.0.0.1:${plain}\n`],
      ['bind :443 ', `bind 127.0.0.1:${secure} `],
      ['bind :8443\n', `bind 127.0.0.1:${passthrough}\n`],
    ],
    command: (file) => ['haproxy', '-W', '-db', '-f', file],
    isReady: /Loading success/,
  })
}

async function startNginx(targets: ProxyTargets): Promise<RunningProxy> {
  const [plain, secure] = await findPorts(2)
  const temporary = (folder: string) =>
    ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  return start('nginx.conf', targets, {
    ports: { plain, secure, passthrough: 0 },
    replace: (folder) => [
      ['pid /run/nginx.pid', `pid ${folder}/nginx.pid`],
      ['http {\n', `http {\n${temporary(folder)}\n`],
      ['/etc/nginx/', `${folder}/`],
      ['/var/log/nginx/', `${folder}/`],
      ['listen 80;', `listen 127.0.0.1:${plain};`],
      ['listen 443 ', `listen 127.0.0.1:${secure} `],
      ['proxy_ssl_name gateway.internal', 'proxy_ssl_name 127.0.0.1'], // what the tests' certificate names
    ],
    command: (file, folder) => ['nginx', '-e', 'stderr', '-p', folder, '-c', file, '-g', 'daemon off;'],
    isReady: /start worker process \d/,
  })
}

interface Program {
  readonly ports: { readonly plain: number; readonly secure: number; readonly passthrough: number }
  readonly replace: (folder: string) => readonly (readonly [string, string])[]
  readonly command: (file: string, folder: string) => readonly [string, ...string[]]
  readonly isReady: RegExp
}

async function start(source: string, targets: ProxyTargets, program: Program): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-proxy-'))
  const own = makeCertificate()
  const files = { 'gateway.pem': own.cert + own.key, 'gateway.crt': own.cert, 'gateway.key': own.key }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'gateways-ca.pem'), targets.authority ?? own.cert)
  const [a, b] = targets.plain
  const [secureA, secureB] = targets.secure ?? targets.plain
  const { change = (same: string) => same } = targets
  const text = replaceAll(change(readFileSync(join(import.meta.dirname, '../../deploy', source), 'utf8')), [
    ['10.0.0.11:8080', `127.0.0.1:${a}`],
    ['10.0.0.12:8080', `127.0.0.1:${b}`],
    ['10.0.0.11:8443', `127.0.0.1:${secureA}`],
    ['10.0.0.12:8443', `127.0.0.1:${secureB}`],
    ...program.replace(folder),
    ...(targets.replace?.(folder) ?? []),
  ])
  const file = join(folder, source)
  writeFileSync(file, text + (targets.more ?? ''))
  const [command, ...args] = program.command(file, folder)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  await ready(child, program.isReady)
  const { plain, secure, passthrough } = program.ports
  return {
    plainUrl: `http://127.0.0.1:${plain}`,
    secureUrl: `https://127.0.0.1:${secure}`,
    passthroughUrl: `https://127.0.0.1:${passthrough}`,
    process: child,
    log: () => said + readIfThere(join(folder, 'gateway.log')),
    command: (line) => askSocket(join(folder, 'admin.sock'), line),
    rewrite: (change) => writeFileSync(file, change(text)),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** One server's row of `show stat`, in the backend of plain HTTP. */
async function askHaproxy(proxy: RunningProxy, server: string): Promise<Readonly<Record<string, string>>> {
  const [head = '', ...lines] = (await proxy.command('show stat')).replace('# ', '').split('\n')
  const rows = lines.map((line) => line.split(','))
  const row = rows.find(([backend, name]) => backend === 'gateways' && name === server) ?? []
  return Object.fromEntries(head.split(',').map((column, at) => [column, row[at] ?? '']))
}

/** As in docs/how-to/deploying.md: no new calls, and it waits for those in progress. */
export async function drainHaproxy(proxy: RunningProxy, server: string): Promise<void> {
  await setHaproxy(proxy, server, 'drain')
  await poll(async () => Number((await askHaproxy(proxy, server)).scur) === 0)
}

/** Lets a drained gateway in again, once it is found healthy. */
export async function refillHaproxy(proxy: RunningProxy, server: string): Promise<void> {
  await setHaproxy(proxy, server, 'ready')
  await poll(async () => (await askHaproxy(proxy, server)).status === 'UP')
}

async function setHaproxy(proxy: RunningProxy, server: string, state: 'drain' | 'ready'): Promise<void> {
  const answer = (await proxy.command(`set server gateways/${server} state ${state}`)).trim()
  if (answer !== '') throw new Error(answer)
}

/** What is not there would be tested unchanged. */
export function replaceAll(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`The configuration has no ${JSON.stringify(from)}`)
    return changed.replaceAll(from, to)
  }, text)
}

function ready(child: ChildProcess, isReady: RegExp): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      said += chunk
      if (isReady.test(said)) resolve()
    })
    child.once('exit', () => reject(new Error(`It did not start:\n${said}`)))
  })
}

async function askSocket(path: string, line: string): Promise<string> {
  const socket = connect(path)
  socket.end(`${line}\n`)
  let answer = ''
  for await (const chunk of socket.setEncoding('utf8')) answer += chunk
  return answer
}

export async function findPorts<N extends number>(
  count: N,
): Promise<number[] & { readonly length: N; 0: number; 1: number; 2: number }> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports as never
}
