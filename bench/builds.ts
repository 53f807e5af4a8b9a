/**
 * `node --conditions=integration-gateway-source bench/builds.ts <path> <seconds> <checkout> <checkout>…`: processor time of
 * a call of several checkouts, each with its node_modules, in turn. A turn is short, and the lowest tenth of all counts:
 * other work on the machine disturbs most turns, but not all. Beside it the ratio of neighbouring turns, a pair each: its
 * median with the 95 % interval. `KEY_VALUE.v1` is the POST of ten rows, `METADATA_OAUTH2.v1/` has one known token, and with
 * `new` behind it each call has another.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openIssuer } from './issuer.ts'
import { basic, bearer, demo, get, tenRows } from './requests.ts'
import { exchange, formatRequest, type Request } from './wire.ts'

const [path = 'METADATA.v1/', seconds = '20', ...checkouts] = process.argv.slice(2)
const project = path.startsWith('CACHED_') && !path.startsWith('CACHED_TIME') ? 'bench/project' : 'examples/reference'
const issuer = path.includes('OAUTH2') ? await openIssuer() : undefined
/** A process remembers 10,000 tokens. */
const tokens = (await issuer?.issue(path.endsWith('new') ? 12_000 : 1)) ?? []
const requests = findRequests()
const [request] = requests as [Request]
const connections = 32
const turn = path === 'KEY_VALUE.v1' ? 250 : 80

function findRequests(): readonly Request[] {
  if (path === 'KEY_VALUE.v1') return [tenRows()]
  if (tokens.length > 0) return tokens.map((token) => get('METADATA_OAUTH2.v1/', bearer(token)))
  return [get(path, /BASIC|CACHED_TIME/.test(path) ? basic : [])]
}

class Build {
  readonly name: string
  /** Microseconds of a call: of all threads, and of the one that answers. */
  readonly all: number[] = []
  readonly main: number[] = []
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
  }

  async start(): Promise<void> {
    const checkout = resolve(this.name)
    cpSync(join(checkout, project), this.#folder, {
      recursive: true,
      filter: (file) => !/\/(?:data|node_modules)$/.test(file),
    })
    mkdirSync(join(this.#folder, 'node_modules'))
    symlinkSync(checkout, join(this.#folder, 'node_modules/integration-gateway'))
    const ig = ['--max-semi-space-size=8', '--conditions=integration-gateway-source', join(checkout, 'bin/ig.js')]
    for (const [id, list, password] of [
      ['GUEST', 'PUBLIC', 'guest-password'],
      [demo.id, 'REFERENCE_ALL', demo.password],
    ] as const) {
      const email = id === demo.id ? ['--email', demo.email] : []
      const args = ['operator', 'add', id, '--permission-list', list, '--password-stdin', ...email]
      execFileSync(process.execPath, [...ig, ...args], {
        cwd: this.#folder,
        input: `${password}\n`,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
    }
    const port = await findPort()
    const serve = ['start', '--port', String(port), '--admin-port', 'off', '--workers', '1']
    const env = { ...process.env, ...(issuer && { IG_JSONWEBKEY: issuer.jwksUrl }) }
    const child = spawn(process.execPath, [...ig, ...serve], { cwd: this.#folder, stdio: 'ignore', env })
    this.#pid = child.pid ?? 0
    this.#stop = () => void child.kill()
    while (!(await exchange(port, request).catch(() => undefined))) await sleep(100)
    const { status, body } = await exchange(port, request)
    console.log(`${this.name}: ${status}, ${body.length} bytes`)
    this.#bytes = requests.map((each) => formatRequest(each, port))
    for (let count = 0; count < connections; count += 1) this.#sockets.push(await this.#connect(port))
    await this.#run(3_000)
  }

  async measure(): Promise<void> {
    const [all, main, calls] = [this.#cpu(true), this.#cpu(false), this.#calls]
    await this.#run(turn)
    this.all.push((this.#cpu(true) - all) / (this.#calls - calls) / 1000)
    this.main.push((this.#cpu(false) - main) / (this.#calls - calls) / 1000)
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
    return this.#bytes[this.#sent % this.#bytes.length] as Buffer
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
    const times = threads.map((id) => readFileSync(`/proc/${this.#pid}/task/${id}/schedstat`, 'utf8').split(' ')[0])
    return times.reduce((sum, time) => sum + Number(time), 0)
  }
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
  for (const { name, all, main } of builds) {
    const [time, ofMain] = [lowestTenth(all), lowestTenth(main)]
    const [ratio, ratioOfMain] = [time / lowestTenth(first?.all ?? []), ofMain / lowestTenth(first?.main ?? [])]
    const show = (value: number) => value.toFixed(2)
    console.log(
      `${path} ${name}: ${show(time)} µs (${show(ratio)}), main thread ${show(ofMain)} µs (${show(ratioOfMain)}), ${all.length} turns, pairs ${formatMedian(all.map((value, index) => value / (first?.all[index] ?? value)))}`,
    )
  }
} finally {
  for (const build of builds) build.end()
  await issuer?.close()
}
