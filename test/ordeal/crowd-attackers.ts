/** The attackers of the ordeal `crowd`, in a process of their own: their event loop is not the measured client's. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connector } from '../support/cluster-project.ts'

/** Of those that never read: theirs ends after the last that their system took for them, which may be late (specification 7.9). */
export interface NeverRead {
  readonly open: number
  /** Milliseconds between the last bytes that one's system took and its end, at most. */
  readonly longest: number
}

export interface Crowd {
  readonly url: string
  readonly heads: number
  readonly bodies: number
  readonly never: number
  readonly idle: number
  /** Bytes of a response that is never read. */
  readonly size: number
}

process.on('message', async (crowd: Crowd | 'end') => {
  if (crowd === 'end') process.exit()
  setInterval(sample, samplePeriod)
  await attack(crowd)
  process.send?.('begun')
})

/** Milliseconds. */
const samplePeriod = 250
/** By the local port of one that never reads. */
const unread = new Map<string, { bytes: number; since: number }>()
let longest = 0

/** Node does not see the end of a connection that it does not read. */
function sample(): void {
  const now = performance.now()
  const queues = readQueues()
  for (const [port, last] of unread) {
    const bytes = queues.get(port)
    if (bytes === undefined) longest = Math.max(longest, now - last.since)
    if (bytes === undefined) unread.delete(port)
    else if (bytes > last.bytes) unread.set(port, { bytes, since: now })
  }
  process.send?.({ open: unread.size, longest: Math.round(longest) } satisfies NeverRead)
}

/**
 * Bytes of a response that the system holds, by the client's port: given to it by the gateway, and not read. They grow as long as
 * it takes something.
 */
function readQueues(): ReadonlyMap<string, number> {
  const rows = readFileSync('/proc/net/tcp', 'latin1').matchAll(/^ *\d+: \w+:(\w+) \w+:(\w+) (\w+) (\w+):(\w+)/gm)
  const sent = new Map<string, number>()
  const received = new Map<string, number>()
  for (const [, port = '', peer = '', state, sending = '', arrived = ''] of rows) {
    if (unread.has(peer)) sent.set(peer, Number.parseInt(sending, 16))
    else if (state === established) received.set(port, Number.parseInt(arrived, 16))
  }
  return new Map(Array.from(received, ([port, bytes]) => [port, bytes + (sent.get(port) ?? 0)]))
}

const established = '01'

const kinds: Readonly<Record<'heads' | 'bodies' | 'never' | 'idle', (crowd: Crowd) => Promise<unknown>>> = {
  async heads({ url }) {
    const socket = await open(url)
    socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\nx-slow: ')
    trickle(socket)
  },
  async bodies({ url }) {
    const socket = await open(url)
    socket.resume().write(`POST ${connector}/TREE.v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n`)
    trickle(socket)
  },
  async never({ url, size }) {
    const socket = await open(url)
    socket.pause()
    const port = (socket.localPort ?? 0).toString(16).toUpperCase().padStart(4, '0')
    unread.set(port, { bytes: 0, since: performance.now() })
    socket.write(`GET ${connector}/CACHED.v1/${size} HTTP/1.1\r\nHost: a\r\n\r\n`)
  },
  async idle({ url }) {
    const socket = await open(url)
    socket.resume().write(`GET ${connector}/SMALL.v1 HTTP/1.1\r\nHost: a\r\n\r\n`)
  },
}

/** All kinds at the same time, over about two seconds. */
async function attack(crowd: Crowd): Promise<void> {
  const steps = 40
  for (let step = 0; step < steps; step += 1) {
    const some = Object.entries(kinds).flatMap(([kind, begin]) => {
      const count = Math.ceil(crowd[kind as keyof typeof kinds] / steps)
      return Array.from({ length: count }, () => begin(crowd))
    })
    await Promise.all(some)
    await sleep(50)
  }
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  return socket
}

function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), 1000)
  socket.on('close', () => clearInterval(timer))
}
