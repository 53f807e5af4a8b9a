/**
 * `node --conditions=integration-gateway-source bench/builds.ts <path> <seconds> <checkout> <checkout>…`: processor time of
 * a call of several checkouts, each with its node_modules, in turn. A turn is short, and the lowest tenth of all counts:
 * other work on the machine disturbs most turns, but not all. Beside it the ratio of neighbouring turns, a pair each: its
 * median with the 95 % interval. `KEY_VALUE.v1` is the POST of ten rows: those to a checkout with `:keyed` behind it have an
 * Idempotency-Key of their own each, and with `:postgres` each build has a database of a server, whose processor time is counted too.
 * `METADATA_OAUTH2.v1/` has one known token, and with `new` behind it each call has another.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts'
import { openIssuer } from './issuer.ts'
import { basic, bearer, demo, get, tenRows } from './requests.ts'
import { exchange, formatRequest, type Request } from './wire.ts'

const [asked = 'METADATA.v1/', seconds = '20', ...checkouts] = process.argv.slice(2)
const [path = '', ...options] = asked.split(':')
const postgres = options.includes('postgres') ? await startPostgres({ isDurable: true }) : undefined
const project = path.startsWith('CACHED_') && !path.startsWith('CACHED_TIME') ? 'bench/project' : 'examples/reference'
const issuer = path.includes('OAUTH2') ? await openIssuer() : undefined
/** A process remembers 10,000 tokens. */
const tokens = (await issuer?.issue(path.endsWith('new') ? 12_000 : 1)) ?? []
/** A place for the key of each call. */
const key = '0'.repeat(36)
const requests = findRequests()
const [request] = requests as [Request]
const connections = 32
const turn = path === 'KEY_VALUE.v1' ? 250 : 80

function findRequests(): readonly Request[] {
  if (path === 'KEY_VALUE.v1') return [tenRows()]
  if (tokens.length > 0) return tokens.map((token) => get('METADATA_OAUTH2.v1/', bearer(token)))
  return [get(path, /BASIC|CACHED_TIME/.test(path) ? basic : [])]
}

function withKey(request: Request): Request {
  return { ...request, headers: [...request.headers, 'idempotency-key', key] }
}

class Build {
  readonly name: string
  readonly #checkout: string
  readonly #isKeyed: boolean
  /** Microseconds of a call: of all threads, and of the one that answers. */
  readonly all: number[] = []
  readonly main: number[] = []
  /** Of the database server. */
  readonly server: number[] = []
  readonly #folder = mkdtempSync(join(tmpdir(), 'ig-builds-'))
  #sockets: Socket[] = []
  #stop = () => {}
  #pid = 0
  #isOn = false
  #calls = 0
  #sent = 0
  #bytes: readonly Buffer[] = []
  #open = 0
  #whenQuiet = () => {}

  constructor(name: string) {
    this.name = name
    this.#isKeyed = name.endsWith(':keyed')
    this.#checkout = resolve(name.replace(/:keyed$/, ''))
  }

  async start(): Promise<void> {
    const checkout = this.#checkout
    cpSync(join(checkout, project), this.#folder, {
      recursive: true,
      filter: (file) => !/\/(?:data|node_modules)$/.test(file),
    })
    mkdirSync(join(this.#folder, 'node_modules'))
    symlinkSync(checkout, join(this.#folder, 'node_modules/integration-gateway'))
    const database = postgres && (await createDatabase(postgres))
    const env = {
      ...process.env,
      IG_SECRETKEY: 'a secret key for measurements: 32',
      ...(issuer && { IG_JSONWEBKEY: issuer.jwksUrl }),
      ...(database && { IG_DATABASE: database }),
    }
    const ig = ['--conditions=integration-gateway-source', join(checkout, 'bin/ig.js')]
    for (const [id, list, password] of [
      ['GUEST', 'PUBLIC', 'guest-password'],
      [demo.id, 'REFERENCE_ALL', demo.password],
    ] as const) {
      const email = id === demo.id ? ['--email', demo.email] : []
      const args = ['operator', 'add', id, '--permission-list', list, '--password-stdin', ...email]
      execFileSync(process.execPath, [...ig, ...args], {
        cwd: this.#folder,
        env,
        input: `${password}\n`,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
    }
    const port = await findPort()
    const serve = ['start', '--port', String(port), '--admin-port', 'off', '--workers', '1']
    const child = spawn(process.execPath, [...ig, ...serve], { cwd: this.#folder, stdio: 'ignore', env })
    this.#pid = child.pid ?? 0
    this.#stop = () => void child.kill()
    while (!(await exchange(port, request).catch(() => undefined))) await sleep(100)
    const { status, body } = await exchange(port, request)
    console.log(`${this.name}: ${status}, ${body.length} bytes`)
    this.#bytes = requests.map((each) => formatRequest(this.#isKeyed ? withKey(each) : each, port))
    for (let count = 0; count < connections; count += 1) this.#sockets.push(await this.#connect(port))
    await this.#run(3_000)
  }

  async measure(): Promise<void> {
    const before = [this.#cpu(true), this.#cpu(false), serverTime(), this.#calls] as const
    await this.#run(turn)
    const [all, main, server, calls] = before
    const done = (this.#calls - calls) * 1000
    this.all.push((this.#cpu(true) - all) / done)
    this.main.push((this.#cpu(false) - main) / done)
    this.server.push((serverTime() - server) / done)
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #run(milliseconds: number): Promise<void> {
    const quiet = new Promise<void>((fulfil) => {
      this.#whenQuiet = fulfil
    })
    this.#isOn = true
    this.#open = connections
    for (const socket of this.#sockets) socket.emit('call')
    await sleep(milliseconds)
    this.#isOn = false
    await quiet
  }

  #next(): Buffer {
    this.#sent += 1
    const bytes = this.#bytes[this.#sent % this.#bytes.length] as Buffer
    if (!this.#isKeyed) return bytes
    const keyed = Buffer.from(bytes)
    keyed.write(String(this.#sent).padStart(key.length, '0'), keyed.indexOf(key), 'latin1')
    return keyed
  }

  async #connect(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true).on('call', () => socket.write(this.#next()))
    let text = ''
    socket.on('data', (piece) => {
      text += piece.toString('latin1')
      const head = text.indexOf('\r\n\r\n') + 4
      if (head < 4 || text.length < head + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)) return
      text = ''
      this.#calls += 1
      if (this.#isOn) socket.write(this.#next())
      else if (--this.#open === 0) this.#whenQuiet()
    })
    await once(socket, 'connect')
    return socket
  }

  /** In nanoseconds. */
  #cpu(isAll: boolean): number {
    const threads = isAll ? readdirSync(`/proc/${this.#pid}/task`) : [String(this.#pid)]
    return threads.reduce((sum, id) => sum + timeOf(this.#pid, id), 0)
  }
}

function timeOf(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0 // ended meanwhile
  }
}

/** Of all processes of the database server that have not ended. */
function serverTime(): number {
  return postgres?.processes().reduce((sum, pid) => sum + timeOf(pid, String(pid)), 0) ?? 0
}

let databases = 0

async function createDatabase({ url }: PostgresServer): Promise<string> {
  databases += 1
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create database build_${databases}`)
  await client.end()
  return url.replace(/[^/]+$/, `build_${databases}`)
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

const lowestTenth = (values: readonly number[]) =>
  values.toSorted((one, two) => one - two)[Math.floor(values.length / 10)] ?? 0

/** The median and the order statistics that enclose it with a probability of 95 %. */
function formatMedian(values: readonly number[]): string {
  const sorted = values.toSorted((one, two) => one - two)
  const reach = 0.98 * Math.sqrt(sorted.length)
  const show = (index: number) => (sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(index)))] ?? 0).toFixed(3)
  const middle = (sorted.length - 1) / 2
  return `${show(middle)} [${show(middle - reach)}–${show(middle + reach)}]`
}

const builds = checkouts.map((checkout) => new Build(checkout))
try {
  for (const build of builds) await build.start()
  for (const end = performance.now() + Number(seconds) * 1000; performance.now() < end; )
    for (const build of builds) await build.measure()
  const [first] = builds
  for (const { name, all, main, server } of builds) {
    const [time, ofMain] = [lowestTenth(all), lowestTenth(main)]
    const [ratio, ratioOfMain] = [time / lowestTenth(first?.all ?? []), ofMain / lowestTenth(first?.main ?? [])]
    const show = (value: number) => value.toFixed(2)
    const pairs = formatMedian(all.map((value, index) => value / (first?.all[index] ?? value)))
    const ofServer = postgres
      ? `server ${show(lowestTenth(server))} µs (${show(lowestTenth(server) / lowestTenth(first?.server ?? []))}), `
      : ''
    console.log(
      `${asked} ${name}: ${show(time)} µs (${show(ratio)}), main thread ${show(ofMain)} µs (${show(ratioOfMain)}), ${ofServer}${all.length} turns, pairs ${pairs}`,
    )
  }
} finally {
  for (const build of builds) build.end()
  await issuer?.close()
  await postgres?.stop()
}
