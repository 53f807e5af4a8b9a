/**
 * An operation that is passed through by the published package, beside a bare proxy on Node (`proxy-bare.ts`) and, if it is
 * installed, HAProxy, to the same server: the same bytes, each on core 0, with the other server and the client on core 1.
 * Prints calls a second of each, the ratio of neighbouring rounds, p99 of the three at half of the gateway's rate
 * (`bench/setup` installs the client), and the highest memory during a body of 2 GB each way.
 * With 0 rounds only the memory. `node bench/pass-through.ts [rounds] [seconds]`
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../src/store/open-store.ts'
import { fire } from './at-rate.ts'
import { drive } from './drive.ts'
import { pinned } from './pinned.ts'
import { publish } from './published.ts'
import { get } from './requests.ts'
import { linkPackage, startServer } from './servers.ts'

const [rounds = 5, seconds = 5] = process.argv.slice(2).map(Number)
const port = 18_200
const path = '/PSIGW/RESTListeningConnector/LOCAL_NODE/JOB.v1/x'
const long = 2 * 1024 ** 3
const hasClient = existsSync(join(import.meta.dirname, 'peers/node_modules/autocannon'))

if (process.env.IG_BENCH_ORIGINAL) serveOriginal()
else await measure()

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
  const node = [process.execPath, '--max-semi-space-size=8'] as const
  run(1, [...node, import.meta.filename], { IG_BENCH_ORIGINAL: '1' })
  const bare = run(0, [...node, join(import.meta.dirname, 'proxy-bare.ts'), String(port + 1), origin])
  const proxied = startProxy(folder, run)
  const published = publish()
  linkPackage(folder, published.home)
  mkdirSync(join(folder, 'handlers'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'gateway.config.ts'), configuration(origin))
  const store = await openStore(join(folder, 'gateway.sqlite'))
  await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
  await store.close()
  const environment = { IG_WORKERS: '1', IG_LIMITS_BODY: '4GiB' }
  const args = ['start', folder, '--port', String(port + 2)]
  const start = () => startServer(args, port + 2, folder, { environment, published })
  await (await start()).stop() // the first start compiles, and keeps the memory of that
  const gateway = await start()
  try {
    await sleep(1000)
    const loadOf = (at: number) => ({
      port: at,
      requests: [get('JOB.v1/x')],
      connections: 16,
      seconds,
    })
    const ratios: number[] = []
    const costs: number[] = []
    let rate = 0
    for (let round = 0; rounds > 0 && round <= rounds; round += 1) {
      const [one, ofOne] = await measureCost(bare.pid, () => drive('wrk', loadOf(port + 1)))
      const [two, ofTwo] = await measureCost(gateway.pid, () => drive('wrk', loadOf(port + 2)))
      console.log(
        `bare ${one.perSecond.toFixed(0)}/s, p99 ${one.p99} ms, ${ofOne.toFixed(3)} ms of processor a call; ` +
          `gateway ${two.perSecond.toFixed(0)}/s, p99 ${two.p99} ms, ${ofTwo.toFixed(3)} ms`,
      )
      if (proxied) {
        const [three, ofThree] = await measureCost(proxied.pid, () => drive('wrk', loadOf(port + 3)))
        console.log(`HAProxy ${three.perSecond.toFixed(0)}/s, p99 ${three.p99} ms, ${ofThree.toFixed(3)} ms`)
      }
      if (round === 0) continue // it warms up
      ratios.push(two.perSecond / one.perSecond)
      costs.push(ofOne / ofTwo)
      rate = two.perSecond / 2
    }
    for (const [name, at] of [
      ['none', port],
      ['bare', port + 1],
      ['gateway', port + 2],
      ...(proxied ? [['HAProxy', port + 3] as const] : []),
    ] as const) {
      if (rate === 0 || !hasClient) continue
      const { perSecond, p50, p99 } = await fire({ ...loadOf(at), rate: Math.floor(rate) })
      console.log(`${name} at ${perSecond.toFixed(0)}/s: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`)
    }
    if (rounds > 0) console.log(`calls a second: ${writeRatio(ratios)}; by processor time: ${writeRatio(costs)}`)
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
    published.remove()
    rmSync(folder, { recursive: true, force: true })
  }
  process.exit()
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
function writeRatio(ratios: number[]): string {
  const [least = 0, ...rest] = ratios.sort((one, two) => one - two)
  const median = ratios[Math.floor(ratios.length / 2)] ?? 0
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
  permissionLists: [{ name: 'ALL', services: ['JOBS'] }],
})
`
}
