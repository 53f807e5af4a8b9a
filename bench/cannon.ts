/**
 * Drives a server at a set rate by `autocannon`. Run by `at-rate.ts`; takes a file with a `Load` and its `rate` as JSON,
 * prints an `AtRate` as JSON. Latencies are counted here: autocannon's own figures are whole milliseconds.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AtRate } from './at-rate.ts'
import type { Load } from './drive.ts'

interface Client {
  setRequests(requests: readonly object[]): void
}
interface Instance extends PromiseLike<{ readonly errors: number; readonly non2xx: number }> {
  on(event: 'response', listener: (client: Client, status: number, bytes: number, milliseconds: number) => void): void
}
const autocannon: (options: object) => Instance = createRequire(join(import.meta.dirname, 'peers/package.json'))(
  'autocannon',
)

const load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load & { readonly rate: number }
const requests = load.requests.map(({ method, path, headers }) => {
  const pairs = Array.from({ length: headers.length / 2 }, (_, index) => headers.slice(2 * index, 2 * index + 2))
  return { method, path, headers: { connection: 'keep-alive', ...Object.fromEntries(pairs) } }
})
const share = Math.max(1, Math.floor(requests.length / load.connections))
let clients = 0
const instance = autocannon({
  url: `http://127.0.0.1:${load.port}`,
  connections: load.connections,
  duration: load.seconds,
  overallRate: load.rate,
  // Each connection has its own part of the requests, so that none is sent twice in a row.
  setupClient(client: Client) {
    const from = (clients++ * share) % requests.length
    client.setRequests(requests.slice(from, from + share))
  },
})
const latencies: number[] = []
instance.on('response', (_client, _status, _bytes, milliseconds) => void latencies.push(milliseconds))
const { errors, non2xx } = await instance
if (errors + non2xx > 0) throw new Error(`${errors + non2xx} answers were not the expected one`)
latencies.sort((a, b) => a - b)
const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0
const measured: AtRate = { perSecond: latencies.length / load.seconds, p50: at(0.5), p99: at(0.99) }
console.log(JSON.stringify(measured))
