/** Processes that have few file descriptors, or whose timers fail (specification 4.15, 7.8, 20.11). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type BurdenInstance, openBurden } from '../support/burden-instance.ts'
import { connector } from '../support/cluster-project.ts'
import { poll } from '../support/poll.ts'
import { openRawSocket, type RawSocket } from '../support/raw-socket.ts'

const skip = process.platform !== 'linux' && 'its descriptors are counted in /proc'
const few = { prefix: ['sh', '-c', 'ulimit -n 300; exec "$@"', 'sh'], env: {} }
const crowdSize = 250

const burdens = [
  {
    what: 'callers who do not read large responses',
    request: `GET ${connector}/LARGE.v1/4194304 HTTP/1.1\r\nHost: a\r\n\r\n`,
  },
  {
    what: 'callers of unfinished bodies',
    request: `POST ${connector}/TEXT.v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 400000\r\n\r\n${'x'.repeat(300_000)}`,
  },
]

async function openCrowd(url: string, request: string): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: crowdSize }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(request)
    return socket.pause()
  })
  await Promise.all(sockets.map((socket) => socket.connecting && once(socket, 'connect').catch(() => {})))
  return sockets
}

async function ask(socket: RawSocket, path: string) {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const { status, text } = await socket.readReply()
  return { status, text }
}

/** The first process that closes new connections. */
function findFull(instance: BurdenInstance): { readonly pid?: number; readonly worker?: number } | undefined {
  const line = instance
    .said()
    .split('\n')
    .find((each) => each.includes('"connectionsFull"'))
  return line === undefined ? undefined : JSON.parse(line)
}

/** Of bodies and responses. */
function countFiles(pid: number): number {
  const folder = `/proc/${pid}/fd`
  const targets = readdirSync(folder).map((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor))
    } catch {
      return '' // closed meanwhile
    }
  })
  return targets.filter((target) => target.includes('integration-gateway-')).length
}

/** Processes report every second, what they used of the processor included; or the process has ended. */
async function nextReport(instance: BurdenInstance, worker: number): Promise<void> {
  const read = async () => {
    // A kept connection may end while it is used again
    const text = await fetch(instance.metricsUrl, { headers: { connection: 'close' } })
      .then((response) => response.text())
      .catch(() => '')
    return new RegExp(`^process_cpu_seconds_total\\{worker="${worker}"\\} .*`, 'm').exec(text)?.[0]
  }
  const before = await read()
  await poll(async () => instance.deaths() > 0 || (await read()) !== before)
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.status === 200
}

async function serves(url: string): Promise<boolean> {
  const response = await fetch(`${url}${connector}/SMALL.v1`, { headers: { connection: 'close' } }).catch(
    () => undefined,
  )
  return (await response?.text()) === 'small'
}

for (const workers of [1, 2])
  for (const { what, request } of burdens)
    test(`7.8, 20.11 with few descriptors, ${what} end no process; readiness reports it, and others are served when they have left (${workers} processes)`, {
      skip,
    }, async (t) => {
      const instance = await openBurden(few, { workers, env: { IG_LOG_LEVEL: '2', IG_WORKERS_STALLTIMEOUT: '10min' } })
      t.after(instance.stop)
      const kept = await openRawSocket(instance.url)
      t.after(kept.destroy)
      assert.equal((await ask(kept, `${connector}/SMALL.v1`)).text, 'small')
      const crowds = [await openCrowd(instance.url, request)]
      const leave = () => {
        for (const socket of crowds.flat()) socket.destroy()
      }
      t.after(leave)
      while (!findFull(instance)) crowds.push(await openCrowd(instance.url, request)) // the system chooses the process of each
      const { pid = instance.pid, worker = 0 } = findFull(instance) ?? {}
      let files = -1
      await poll(async () => {
        await nextReport(instance, worker)
        const before = files
        files = instance.deaths() > 0 ? before : countFiles(pid)
        return files === before
      })
      assert.equal(instance.deaths(), 0, instance.said())
      if (workers === 1) {
        const { status, text } = await ask(kept, '/readyz')
        assert.deepEqual([status, JSON.parse(text).status], [503, 'connectionsFull'])
      }
      leave()
      await poll(() => serves(instance.url))
      await poll(() => isReady(instance.url))
    })

test('4.15 an error of a timer ends no process: it is logged, and the process keeps serving', async (t) => {
  const preload = pathToFileURL(join(import.meta.dirname, '../support/throwing-timers.mjs')).href
  const env = { IG_LOG_LEVEL: '3', NODE_OPTIONS: `--import ${preload}` }
  const instance = await openBurden({ prefix: [], env: {} }, { workers: 2, env })
  t.after(instance.stop)
  await poll(() => instance.said().split('"event":"started"').length === 4) // administration, too
  const started = Array.from(instance.said().matchAll(/"event":"started".*"pid":(\d+)/g), ([, pid]) => Number(pid))
  const pids = [instance.pid, ...started]
  assert.equal(new Set(pids).size, 4)
  for (const pid of pids) process.kill(pid, 'SIGUSR2')
  for (const kind of ['setImmediate', 'setTimeout', 'setInterval'])
    await poll(() => countFailures(instance, kind) === pids.length)
  assert.ok(await serves(instance.url))
  assert.equal(instance.deaths(), 0, instance.said())
})

function countFailures(instance: BurdenInstance, kind: string): number {
  const lines = instance.said().split('\n')
  return lines.filter((line) => line.includes('"unhandledRejection"') && line.includes(`thrown by ${kind}`)).length
}
