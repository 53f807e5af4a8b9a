/**
 * An operation that is passed through by the published package, beside a bare proxy on Node (`proxy-bare.ts`) and, if it is
 * installed, HAProxy, to the same server: the same bytes, each on core 0, with the other server and the client on core 1.
 * Prints calls a second of each and the ratio of neighbouring rounds; what a proxy adds to p99 at the rate at which calls
 * would take half of the gateway's core, by their processor time under load, where a call is timed from when it was due,
 * the servers take turns and the client's first second does not count; and the highest memory during a body of
 * 2 GB each way; `soap` is a guarded call of 20 kB. `node bench/pass-through.ts [rounds] [seconds] [calls,soap,p99,memory]`;
 * with `postgres` among the parts the gateway has a PostgreSQL of its own, otherwise SQLite.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../src/store/open-store.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { drive } from './drive.ts'
import { pinned } from './pinned.ts'
import { publish } from './published.ts'
import { get } from './requests.ts'
import { linkPackage, startServer } from './servers.ts'
import type { LatencySummary } from './steady.ts'
import type { Request } from './wire.ts'

const [rounds = 5, seconds = 5] = process.argv.slice(2, 4).map(Number)
const parts = new Set((process.argv[4] ?? 'calls,p99,memory').split(','))
const port = 18_200
const path = '/PSIGW/RESTListeningConnector/LOCAL_NODE/JOB.v1/x'
const soap: Request = {
  method: 'POST',
  path: '/PSIGW/PeopleSoftServiceListeningConnector',
  headers: ['content-type', 'text/xml', 'soapaction', '"HIRE.v1"'],
  body: `<?xml version="1.0"?><Envelope>${'<row>The value of a row</row>'.repeat(690)}</Envelope>`,
}
/** Seconds. */
const warmUp = 1
const long = 2 * 1024 ** 3

if (process.env.IG_BENCH_ORIGINAL) serveOriginal()
else {
  await measure()
  process.exit()
}

/** A short answer; `/long` in the path: so many bytes; a body is read to its end. */
function serveOriginal(): void {
  const text = JSON.stringify({ emplid: 'A1234', title: 'Engineer', text: 'x'.repeat(900) })
  const block = Buffer.alloc(64 * 1024)
  createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (!request.url?.includes('long')) {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
        return response.end(text)
      }
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': long })
      Readable.from(blocks(block)).pipe(response)
    })
  }).listen(port, '127.0.0.1')
}

function* blocks(block: Buffer) {
  for (let sent = 0; sent < long; sent += block.length) yield block
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  const origin = `http://127.0.0.1:${port}`
  const run = (core: number, command: readonly [string, ...string[]], environment: NodeJS.ProcessEnv = {}) => {
    const [program = '', ...rest] = pinned(core, command)
    const child = spawn(program, rest, { stdio: 'inherit', env: { ...process.env, ...environment } })
    process.on('exit', () => child.kill()) // whatever ends the benchmark
    return child
  }
  const node = [process.execPath] as const
  run(1, [...node, import.meta.filename], { IG_BENCH_ORIGINAL: '1' })
  const bare = run(0, [...node, join(import.meta.dirname, 'proxy-bare.ts'), String(port + 1), origin])
  const proxied = startProxy(folder, run)
  const published = publish()
  linkPackage(folder, published.home)
  mkdirSync(join(folder, 'handlers'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'gateway.config.ts'), configuration(origin))
  const postgres = parts.has('postgres') ? await startPostgres({ isDurable: true }) : undefined
  const database = postgres?.url ?? join(folder, 'gateway.sqlite')
  const store = await openStore(database)
  await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
  await store.close()
  const environment = { IG_WORKERS: '1', IG_LIMITS_BODY: '4GiB', IG_DATABASE: database }
  const args = ['start', folder, '--port', String(port + 2)]
  const start = () => startServer(args, port + 2, folder, { environment, published })
  await (await start()).stop() // the first start compiles, and keeps the memory of that
  const gateway = await start()
  try {
    await sleep(1000)
    const loads = (request: Request) => (at: number) => ({ port: at, requests: [request], connections: 16, seconds })
    const loadOf = loads(get('JOB.v1/x'))
    console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
    if (parts.has('calls')) await compareCalls(bare.pid, gateway.pid, proxied?.pid, loadOf)
    if (parts.has('soap')) await compareCalls(bare.pid, gateway.pid, proxied?.pid, loads(soap))
    if (parts.has('p99')) {
      const proxies = [
        { name: 'bare', pid: bare.pid, at: port + 1 },
        { name: 'gateway', pid: gateway.pid, at: port + 2 },
        ...(proxied ? [{ name: 'HAProxy', pid: proxied.pid, at: port + 3 }] : []),
      ]
      await waitForQuiet()
      const [, cost] = await measureCost(gateway.pid, () => drive('wrk', loadOf(port + 2)))
      await compareLatency(Math.floor(1000 / cost / 2), proxies)
    }
    if (!parts.has('memory')) return
    console.log(`idle: gateway ${highestMemory(gateway.pid)}`)
    for (const [method, url] of [
      ['GET', `${path}/long`],
      ['POST', path],
    ] as const)
      for (const [name, at, pid] of [
        ['bare', port + 1, bare.pid],
        ['gateway', port + 2, gateway.pid],
      ] as const) {
        const began = performance.now()
        await exchangeLong(at, method, url)
        const took = (performance.now() - began) / 1000
        console.log(`${name} ${method} 2 GB: ${(2048 / took).toFixed(0)} MiB/s, ${highestMemory(pid)} of the process`)
      }
  } finally {
    await gateway.stop()
    await postgres?.stop()
    published.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compareCalls(
  bare: number | undefined,
  gateway: number,
  proxied: number | undefined,
  loadOf: (port: number) => Parameters<typeof drive>[1],
): Promise<void> {
  const ratios: number[] = []
  const costs: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const [one, ofOne] = await measureCost(bare, () => drive('wrk', loadOf(port + 1)))
    const [two, ofTwo] = await measureCost(gateway, () => drive('wrk', loadOf(port + 2)))
    console.log(
      `bare ${one.perSecond.toFixed(0)}/s, p99 ${one.p99} ms, ${ofOne.toFixed(3)} ms of processor a call; ` +
        `gateway ${two.perSecond.toFixed(0)}/s, p99 ${two.p99} ms, ${ofTwo.toFixed(3)} ms`,
    )
    if (proxied !== undefined) {
      const [three, ofThree] = await measureCost(proxied, () => drive('wrk', loadOf(port + 3)))
      console.log(`HAProxy ${three.perSecond.toFixed(0)}/s, p99 ${three.p99} ms, ${ofThree.toFixed(3)} ms`)
    }
    if (round === 0) continue // it warms up
    ratios.push(two.perSecond / one.perSecond)
    costs.push(ofOne / ofTwo)
  }
  console.log(`calls a second: ${writeSpread(ratios)}; by processor time: ${writeSpread(costs)}`)
}

interface Proxy {
  readonly name: string
  readonly pid: number | undefined
  readonly at: number
}

/**
 * Differences are of neighbours. A proxy that has to wait for its core measures the other work of the machine, so the
 * output also has the round in which it waited least.
 */
async function compareLatency(perSecond: number, proxies: readonly Proxy[]): Promise<void> {
  for (const { name, pid, at } of proxies) {
    const found: { added: number; without: number; waited: number }[] = []
    while (found.length < rounds) {
      await waitForQuiet()
      const without = await callSteadily(port, perSecond)
      const before = readWaiting(pid)
      const through = await callSteadily(at, perSecond)
      const waited = (readWaiting(pid) - before) / (warmUp + seconds) / 10
      found.push({ added: through.p99 - without.p99, without: without.p99, waited })
    }
    const [quietest] = found.toSorted((one, other) => one.waited - other.waited)
    console.log(
      `${name} adds to p99 at ${perSecond}/s: ${writeSpread(found.map(({ added }) => added))} ms; ` +
        `without: ${writeSpread(found.map(({ without }) => without))} ms; it waited for its core ` +
        `${writeSpread(found.map(({ waited }) => waited))} % of the time, and adds ${quietest?.added.toFixed(2)} ms where least`,
    )
  }
}

/** Until next to nothing runs; after half a minute in any case. */
async function waitForQuiet(): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const before = cpus()
    await sleep(500)
    const after = cpus()
    const idle = after.map(({ times }, core) => times.idle - (before[core]?.times.idle ?? 0))
    if (Math.min(...idle) > 450) return
  }
}

/** Milliseconds in which its main threads could have run, and another had the core. */
function readWaiting(pid = 0): number {
  const waits = familyOf(pid).map((each) => Number(readFileSync(`/proc/${each}/schedstat`, 'utf8').split(' ')[1]))
  return waits.reduce((sum, each) => sum + each, 0) / 1e6
}

async function callSteadily(at: number, perSecond: number): Promise<LatencySummary> {
  const load = { port: at, request: get('JOB.v1/x'), perSecond, connections: 64, warmUp }
  const [program = '', ...args] = pinned(1, [
    process.execPath,
    join(import.meta.dirname, 'steady.ts'),
    JSON.stringify(load),
  ])
  const client = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  await sleep(500 + (warmUp + seconds) * 1000)
  client.stdin.end('end\n')
  const steady: LatencySummary = JSON.parse(await text(client.stdout))
  if (steady.failed > 0) throw new Error(`${steady.failed} answers at port ${at} were not the expected one`)
  return steady
}

/** One thread, keep-alive on both sides. Undefined where it is not installed. */
function startProxy(folder: string, run: (core: number, command: readonly [string, ...string[]]) => ChildProcess) {
  if (spawnSync('haproxy', ['-v']).error) return undefined
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `global\n  nbthread 1\ndefaults\n  mode http\n  timeout client 30s\n  timeout server 30s\n  timeout connect 5s\n  http-reuse always\nlisten proxy\n  bind 127.0.0.1:${port + 3}\n  server original 127.0.0.1:${port}\n`,
  )
  return run(0, ['haproxy', '-db', '-f', file])
}

/** Median, least and most. */
function writeSpread(values: number[]): string {
  const [least = 0, ...rest] = values.sort((one, two) => one - two)
  const median = values[Math.floor(values.length / 2)] ?? 0
  return `${median.toFixed(2)} (${least.toFixed(2)} to ${(rest.at(-1) ?? least).toFixed(2)})`
}

/** With the processor time of a call, in milliseconds, of the process and its children: other work does not count. */
async function measureCost<Result extends { readonly answers: number }>(
  pid: number | undefined,
  work: () => Promise<Result>,
): Promise<[Result, number]> {
  const before = readProcessorTime(pid)
  const result = await work()
  return [result, (readProcessorTime(pid) - before) / result.answers]
}

function readProcessorTime(pid = 0): number {
  const ticks = familyOf(pid).map((each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) * 10 // of 10 ms
}

function familyOf(pid: number): readonly string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [String(pid), ...children]
}

function exchangeLong(at: number, method: string, url: string): Promise<void> {
  const headers = method === 'POST' ? { 'content-length': long } : {}
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const request = send({ host: '127.0.0.1', port: at, method, path: url, headers }, (response) => {
    const sink = new Writable({ write: (_chunk, _encoding, done) => done() })
    pipeline(response, sink).then(resolve, reject)
    if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
  })
  request.on('error', reject)
  if (method === 'GET') request.end()
  else Readable.from(blocks(Buffer.alloc(64 * 1024))).pipe(request)
  return promise
}

/** Of the process, and of its workers. */
function highestMemory(pid = 0): string {
  return familyOf(pid)
    .map((each) => /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${each}/status`, 'utf8'))?.[1])
    .map((kilobytes) => `${Math.round(Number(kilobytes) / 1024)} MB`)
    .join(' + ')
}

function configuration(origin: string): string {
  return `import { defineGateway, passThrough } from 'integration-gateway'
export default defineGateway({
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'JOBS' }],
  operations: [
    { service: 'JOBS', name: 'JOB', method: 'GET', handler: passThrough('${origin}') },
    { service: 'JOBS', name: 'JOB', method: 'POST', handler: passThrough('${origin}') },
  ],
  listeners: [{
    connector: 'PeopleSoftServiceListeningConnector', passThrough: '${origin}', verification: 'NONE',
    allow: [{ operation: 'HIRE.v1' }],
  }],
  permissionLists: [{ name: 'ALL', services: ['JOBS'], operations: ['PeopleSoftServiceListeningConnector:HIRE.v1::'] }],
})
`
}
