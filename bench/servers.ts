/** The two servers that are compared, each a process of its own, and the one answer of the gateway that bare repeats. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { pinned } from './pinned.ts'
import type { Published } from './published.ts'
import type { Request } from './rows.ts'

export interface Server {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export interface GatewayServer extends Server {
  /** What `ig.database` says. */
  readonly database: string
  /** An access token of the sample issuer for DEMO. */
  readonly token: string
}

export interface GatewayOptions {
  /** `postgres://…`; without it an SQLite file of its own. */
  readonly database?: string
  /** Held to core 0, as bare is. */
  readonly isPinned: boolean
  /** Served by `ig start` of the package; without it by `ig dev` of the sources. */
  readonly published?: Published
  /** More settings, by the names of their variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Where a CPU profile is written when the gateway stops. */
  readonly profile?: string | undefined
}

export interface Answer {
  readonly status: number
  /** Flat: name, value… */
  readonly headers: readonly string[]
  readonly body: string
}

const root = join(import.meta.dirname, '..')

/** The reference project as `npm start` serves it, with its own database and logs, which are removed again. */
export async function startGateway({
  database,
  isPinned,
  published,
  env: more,
  profile,
}: GatewayOptions): Promise<GatewayServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  const [port, issuerPort] = [await findPort(), await findPort()]
  const url = database ?? join(folder, 'gateway.sqlite')
  const env = {
    ...withoutSettings(process.env),
    IG_PORT: String(port),
    IG_SAMPLEISSUER_PORT: String(issuerPort),
    IG_DATABASE: url,
    IG_MESSAGELOG_FILENAME: join(folder, 'msgLog.html'),
    IG_ERRORLOG_FILENAME: join(folder, 'errorLog.html'),
    ...more,
  }
  const options = [
    '--max-semi-space-size=16', // as `npm start` and `ig` have it: decisions D-84
    ...(published ? [] : ['--conditions=integration-gateway-source']),
    ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
  ]
  const command = [process.execPath, ...options, published?.ig ?? 'bin/ig.js'] as const
  const project = published?.project ?? 'examples/reference'
  const serve = (verb: 'dev' | 'start') =>
    start(isPinned ? pinned(0, [...command, verb, project]) : [...command, verb, project], env)
  let child = serve('dev')
  const stop = async () => {
    await stopProcess(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilReady(child, port)
    const token = await fetchToken(issuerPort)
    if (published) {
      await stopProcess(child) // the sample operators are in the store now
      child = serve('start')
      await untilReady(child, port)
    }
    return { port, pid: child.pid ?? 0, database: url, token, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export async function startBare(answer: Answer): Promise<Server> {
  const port = await findPort()
  const script = join(import.meta.dirname, 'bare.ts')
  const child = start(pinned(0, [process.execPath, script, JSON.stringify({ port, ...answer })]), process.env)
  await untilReady(child, port)
  return { port, pid: child.pid ?? 0, stop: () => stopProcess(child) }
}

/** `ig` with these arguments, on core 0; its logs are in the folder. */
export async function startServer(args: readonly string[], port: number, folder: string): Promise<Server> {
  const env = {
    ...withoutSettings(process.env),
    IG_DATABASE: join(folder, 'gateway.sqlite'),
    IG_MESSAGELOG_FILENAME: join(folder, 'msgLog.html'),
    IG_ERRORLOG_FILENAME: join(folder, 'errorLog.html'),
  }
  const command = [process.execPath, '--conditions=integration-gateway-source', 'bin/ig.js', ...args] as const
  const child = start(pinned(0, [...command]), env)
  await untilReady(child, port)
  return { port, pid: child.pid ?? 0, stop: () => stopProcess(child) }
}

/** One call. The headers come without those that `node:http` adds by itself. */
export function ask(
  port: number,
  { method, path, headers, body }: Request,
): Promise<Answer & { all: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const length = body ? ['content-length', String(Buffer.byteLength(body))] : []
    const fields = ['host', `127.0.0.1:${port}`, ...headers, ...length]
    const sent = requestHttp({ port, host: '127.0.0.1', method, path, headers: fields }, async (response) => {
      const all = response.headers
      const pairs = Array.from({ length: response.rawHeaders.length / 2 }, (_, at) =>
        response.rawHeaders.slice(2 * at, 2 * at + 2),
      )
      const own = pairs.filter(([name = '']) => !/^(?:date|connection|keep-alive)$/i.test(name)).flat()
      resolve({ status: response.statusCode ?? 0, headers: own, body: await text(response), all })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function start([program, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(program, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** A developer's own settings are no part of what is measured. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('IG_')))
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error('a server ended before it answered')
    const health = { method: 'GET', path: '/healthz', headers: [], body: '' }
    const answered = await ask(port, health).then(
      () => true,
      () => false,
    )
    if (answered) return
    await sleep(100)
  }
  throw new Error('a server did not answer within 30 seconds')
}

async function fetchToken(port: number): Promise<string> {
  const answer = await ask(port, {
    method: 'POST',
    path: '/token',
    headers: [
      'authorization',
      `Basic ${Buffer.from('DEMO:demo-secret').toString('base64')}`,
      'content-type',
      'application/x-www-form-urlencoded',
    ],
    body: 'grant_type=client_credentials',
  })
  const { access_token: token } = JSON.parse(answer.body) as { access_token?: string }
  if (!token) throw new Error(`the sample issuer gave no token: ${answer.body}`)
  return token
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
