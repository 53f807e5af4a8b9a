/**
 * A steady rate of calls, for `bulk-mixed.ts`: each is sent at its time or, where every connection waits, as soon as one
 * is free, and is timed from when it was due. Takes `{ port, request, perSecond, connections }` as JSON; a line on
 * standard input ends it, and it prints a `Steady` as JSON.
 */
import { connect, type Socket } from 'node:net'
import type { Request } from './wire.ts'

export interface LatencySummary {
  readonly calls: number
  readonly failed: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const {
  port,
  request,
  perSecond,
  connections,
  warmUp = 0,
} = JSON.parse(process.argv[2] ?? '') as {
  port: number
  request: Request
  perSecond: number
  connections: number
  /** Seconds, in which the client is compiled: calls that were due then are not counted. */
  warmUp?: number
}
const bytes = Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
const free: Socket[] = []
const due = new Map<Socket, number>()
const times: number[] = []
let failed = 0
let begun = 0
let counted = 0
let sent = 0

for (let index = 0; index < connections; index += 1) open()
setTimeout(() => {
  begun = performance.now()
  counted = begun + warmUp * 1000
  setInterval(sendDue, 1)
}, 200)
process.stdin.once('end', () => process.exit()) // whoever started it is gone
process.stdin.once('data', () => {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  const steady: LatencySummary = { calls: sorted.length, failed, p50: at(0.5), p99: at(0.99), most: at(1) }
  console.log(JSON.stringify(steady))
  process.exit()
})

function sendDue(): void {
  const now = performance.now()
  while (begun + (sent * 1000) / perSecond <= now) {
    const socket = free.shift() // in turn: none rests for so long that the gateway closes it
    if (!socket) return
    due.set(socket, begun + (sent * 1000) / perSecond)
    sent += 1
    socket.write(bytes)
  }
}

function open(): void {
  let held = ''
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => free.push(socket))
  socket.setEncoding('latin1').on('data', (text: string) => {
    held += text
    const head = held.indexOf('\r\n\r\n')
    const length = head < 0 ? undefined : /content-length: (\d+)/i.exec(held)?.[1]
    if (length === undefined || held.length < head + 4 + Number(length)) return
    if (!held.startsWith('HTTP/1.1 200 ') || held.includes('ig-refusal')) failed += 1
    held = ''
    const began = due.get(socket) ?? 0
    if (began >= counted) times.push(performance.now() - began)
    due.delete(socket)
    free.push(socket)
    sendDue()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    failed += 1
    open()
  })
}
