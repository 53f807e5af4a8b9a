/**
 * A small HTTP/1.1 load client over raw sockets: keep-alive, no pipelining, one request under way on each connection,
 * answers of status 200 delimited by content-length. Run by `drive.ts`; takes a file with a `Load` as JSON, prints a
 * `Measured` as JSON.
 */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { Load, LoadResult } from './drive.ts'
import { formatRequest } from './wire.ts'

const load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load
const requests = load.requests.map((request) => formatRequest(request, load.port))
let next = 0

/** How many answers took so many microseconds; whatever took longer than a second stands at its end. */
const latencies = new Uint32Array(1_000_001)
let answers = 0
let isMeasuring = false
const sockets = Array.from({ length: load.connections }, () => openConnection(load.port))

// The client never sleeps: to wake it would cost the server, on a virtual machine more than the answer does, and the
// slower of two servers would pay for it more often.
const turn = () => void setImmediate(turn)
turn()

// It warms up too.
setTimeout(() => {
  const begun = performance.now()
  isMeasuring = true
  setTimeout(() => {
    isMeasuring = false
    for (const socket of sockets) socket.destroy()
    const seconds = (performance.now() - begun) / 1000
    const measuredAnswers = latencies.reduce((sum, count) => sum + count, 0)
    const measured: LoadResult = {
      answers,
      perSecond: measuredAnswers / seconds,
      p50: percentile(measuredAnswers * 0.5),
      p99: percentile(measuredAnswers * 0.99),
    }
    console.log(JSON.stringify(measured))
    process.exit()
  }, load.seconds * 1000)
}, 300)

function openConnection(port: number): Socket {
  let sent = 0
  let held = ''
  const send = () => {
    sent = performance.now()
    socket.write(requests[next] ?? '')
    next = (next + 1) % requests.length
  }
  const read = (size: number, buffer: Buffer) => {
    held += buffer.toString('latin1', 0, size)
    const head = held.indexOf('\r\n\r\n')
    if (head < 0) return true
    const length = /content-length: (\d+)/i.exec(held)?.[1]
    if (length === undefined) fail('an answer has no content-length')
    if (!held.startsWith('HTTP/1.1 200 ') || held.includes('ig-refusal')) fail(`not the expected answer:\n${held}`)
    if (held.length < head + 4 + Number(length)) return true
    held = ''
    answers += 1
    if (isMeasuring) {
      const microseconds = Math.min(Math.round((performance.now() - sent) * 1000), latencies.length - 1)
      latencies[microseconds] = (latencies[microseconds] ?? 0) + 1
    }
    send()
    return true
  }
  const onread = { buffer: Buffer.allocUnsafe(64 * 1024), callback: (size: number) => read(size, onread.buffer) }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, send)
  socket.on('error', (error) => fail(error.message))
  socket.on('end', () => fail('the server closed a connection'))
  return socket
}

/** In milliseconds. */
function percentile(rank: number): number {
  let seen = 0
  const at = latencies.findIndex((count) => {
    seen += count
    return seen >= rank
  })
  return at / 1000
}

function fail(reason: string): never {
  console.error(reason)
  process.exit(1)
}
