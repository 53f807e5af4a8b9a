/**
 * A crowd of clients that hold what they can: slow heads, slow bodies, responses never read, idle connections. Others go on as
 * before, and each of the crowd is ended on time (specification 7.6, 7.8, 7.9).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BurdenInstance, openBurden } from '../support/burden-instance.ts'
import { send } from '../support/client.ts'
import { connector } from '../support/cluster-project.ts'
import { openContainer } from '../support/container.ts'
import { patience } from '../support/patience.ts'
import type { Crowd, NeverRead } from './crowd-attackers.ts'
import type { Ordeal, Tally } from './ordeal.ts'

const MiB = 1024 ** 2
/** Heads are looked at once a second, metrics are written once a second, and the crowd needs two to come. In milliseconds. */
const slack = 3_000
const limits = ['HEADERSTIMEOUT', 'BODYTIMEOUT', 'RESPONSETIMEOUT', 'KEEPALIVETIMEOUT']

interface Size extends Omit<Crowd, 'url'> {
  /** Of head, body, response and idle connection alike: then all are over at one moment. In milliseconds. */
  readonly limit: number
}

export function openCrowd(size: Size): Ordeal {
  const { heads, bodies, never, idle } = size
  return {
    name: 'crowd',
    title: `${heads} slow heads, ${bodies} slow bodies, ${never} × ${size.size} bytes never read, ${idle} idle, in 1 GiB`,
    figure: "others' p99 < 100 ms, longest < 1 s, memory within the budget, attackers ended on time",
    trials: 5,
    async open() {
      const container = openContainer(1024 * MiB)
      const env = Object.fromEntries(limits.map((name) => [`IG_LIMITS_${name}`, `${size.limit}ms`]))
      const instance = await openBurden(container, { workers: 1, env })
      await send(instance.url, `GET ${connector}/CACHED.v1/${size.size}`) // made here, once, and not by the crowd
      return {
        trial: () => trial(instance, size),
        async close() {
          await instance.stop()
          await container.remove()
        },
      }
    },
    judge: ({
      maxP99 = 0,
      maxLongest = 0,
      maxLate = 0,
      overBudget = 0,
      left = 0,
      died = 0,
      maxConnected = 0,
      failed = 0,
    }) => [
      ...(maxP99 >= 100 ? [`p99 was ${maxP99} ms`] : []),
      ...(maxLongest >= 1000 ? [`the longest call took ${maxLongest} ms`] : []),
      ...(failed > 0 ? [`${failed} calls of others failed`] : []),
      ...(overBudget > 0 ? [`${overBudget} times more was reserved than the budget has`] : []),
      ...(maxLate > slack ? [`the last attacker was ended ${maxLate} ms late`] : []),
      ...(left > 0 ? [`${left} attackers were not ended, or what they held was not released`] : []),
      ...(died > 0 ? [`${died} processes ended`] : []),
      ...(maxConnected < (heads + bodies + idle) * 0.9 ? [`only ${maxConnected} connections at once: no crowd`] : []),
    ],
  }
}

export const crowd = openCrowd({ heads: 2000, bodies: 500, never: 500, idle: 500, size: 20_000_000, limit: 10_000 })

async function trial(instance: BurdenInstance, size: Size): Promise<Tally> {
  const before = instance.deaths()
  const attackers = fork(join(import.meta.dirname, 'crowd-attackers.ts'), { execArgv: process.execArgv })
  try {
    const stop = new AbortController()
    const others = callOthers(instance.url, stop.signal)
    const figures = watchMetrics(instance.metricsUrl, stop.signal)
    attackers.send({ ...size, url: instance.url } satisfies Crowd)
    let never: NeverRead = { open: size.never, longest: 0 }
    const begun = new Promise<number>((resolve) => {
      attackers.on('message', (message: NeverRead | 'begun') => {
        if (message === 'begun') resolve(performance.now())
        else never = message
      })
    })
    const end = (await begun) + patience
    await awaitEnds(instance.metricsUrl, () => never.open, end)
    const took = performance.now() - (await begun)
    const left = await awaitEnds(instance.metricsUrl, () => 0, end)
    const maxLate = Math.round(Math.max(took, never.longest) - size.limit)
    stop.abort()
    return { ...(await others), ...(await figures), maxLate, maxLoad: load(), left, died: instance.deaths() - before }
  } finally {
    attackers.kill('SIGKILL')
    await once(attackers, 'exit')
  }
}

/** Of the machine: on a busy one the times are not the gateway's. */
function load(): number {
  return Math.round(loadavg()[0] ?? 0)
}

/**
 * @param besides connections that may still be open
 * @returns how many more are, or one where only their memory is held
 */
async function awaitEnds(url: string, besides: () => number, end: number): Promise<number> {
  for (;;) {
    const metrics = await readMetrics(url)
    const { ig_connections: open = 0, ig_memory_reserved_bytes: reserved = 0, ig_cache_bytes: cached = 0 } = metrics
    const isHeld = besides() === 0 && reserved > cached
    const left = Math.max(open - clients - besides(), isHeld ? 1 : 0)
    if (left <= 0 || performance.now() > end) return Math.max(0, left)
    await sleep(100)
  }
}

/** Connections of those who are measured. */
const clients = 4

/** Each calls again and again, at most a hundred times a second. */
async function callOthers(url: string, signal: AbortSignal): Promise<Tally> {
  const times: number[] = []
  let failed = 0
  const call = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!signal.aborted) {
      const begun = performance.now()
      const { status } = await send(url, `GET ${connector}/SMALL.v1`, { agent }).catch(() => ({ status: 0 }))
      times.push(performance.now() - begun)
      if (status !== 200) failed += 1
      await sleep(10)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: clients }, call))
  times.sort((one, other) => one - other)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0)
  return { calls: times.length, failed, maxP99: at(0.99), maxLongest: Math.round(times.at(-1) ?? 0) }
}

async function watchMetrics(url: string, signal: AbortSignal): Promise<Tally> {
  let overBudget = 0
  let maxConnected = 0
  let maxMiB = 0
  while (!signal.aborted) {
    const metrics = await readMetrics(url)
    const { ig_memory_reserved_bytes: reserved = 0, ig_memory_budget_bytes: budget = 0 } = metrics
    if (reserved > budget) overBudget += 1
    maxConnected = Math.max(maxConnected, metrics.ig_connections ?? 0)
    maxMiB = Math.max(maxMiB, Math.round((metrics.process_resident_memory_bytes ?? 0) / MiB))
    await sleep(200, undefined, { signal }).catch(() => {})
  }
  return { overBudget, maxConnected, maxMiB }
}

async function readMetrics(url: string): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(url)).text()
  const lines = text.matchAll(/^(\w+)(?:\{[^}]*\})? (\S+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name = '', value]) => [name, Number(value)]))
}
