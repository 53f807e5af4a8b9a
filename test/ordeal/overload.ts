/**
 * Four times as many calls as a process can answer, beside an operation that hangs (specification 25.13): it goes on
 * answering as many as it can, soon, and is as before when the others are gone.
 */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../support/client.ts'
import { connector, openProject } from './instance.ts'
import type { Ordeal, Tally } from './ordeal.ts'

const files = {
  'gateway.config.ts': `
const operation = { service: 'ORDEAL', method: 'GET', uriTemplates: ['/'] }
export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'ORDEAL' }],
  operations: [
    { ...operation, name: 'BUSY', handler: 'handlers/overload.ts#Busy' },
    { ...operation, name: 'HANG', handler: 'handlers/overload.ts#Hang' },
  ],
  permissionLists: [{ name: 'ALL', services: ['ORDEAL'] }],
}`,
  'handlers/overload.ts': `
export class Busy {
  onRequest(request, { broker }) {
    const begun = process.threadCpuUsage()
    for (;;) {
      const { user, system } = process.threadCpuUsage(begun)
      if (user + system >= 5000) break
    }
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString('done')
    return response
  }
}
export class Hang {
  onRequest() {
    return new Promise(() => {})
  }
}`,
}

const busy = `GET ${connector}/BUSY.v1`
const hang = `GET ${connector}/HANG.v1`

/** @param seconds of the overload; of capacity and recovery it takes a part */
export function openOverload({ seconds }: { readonly seconds: number }): Ordeal {
  return {
    name: 'overload',
    title: `4 × the calls that a process can answer for ${seconds} s, of 5 ms processor time each, beside one that hangs`,
    figure: 'goodput ≥ 0.9 of capacity, p99 ≤ 3 × that at capacity, as before within 2 s, health checks answered',
    trials: 1,
    async open({ say }) {
      const project = await openProject('SQLite', undefined, files)
      const instance = await project.start({ workers: 1 })
      await instance.until(/"event":"started"/)
      return {
        trial: () => trial(instance.url, seconds, say),
        close: () => project.close(),
      }
    },
    judge({ maxLost = 0, maxP99Ratio = 0, maxLateRefused = 0, maxLateRatio = 0, maxUnhealthy = 0, shed = 0 }) {
      return [
        ...(maxLost > 100 ? [`goodput was ${1 - maxLost / 1000} of capacity`] : []),
        ...(maxP99Ratio > 300 ? [`p99 was ${maxP99Ratio / 100} of that at capacity`] : []),
        ...(maxLateRefused > 0 ? [`${maxLateRefused} calls were refused when the overload was over`] : []),
        ...(maxLateRatio > 100 ? [`p99 afterwards was ${maxLateRatio / 100} of that at capacity`] : []),
        ...(maxUnhealthy > 0 ? [`${maxUnhealthy} health checks failed`] : []),
        ...(shed === 0 ? ['no call was shed'] : []),
      ]
    },
  }
}

export const overload = openOverload({ seconds: 60 })

async function trial(url: string, seconds: number, say: (line: string) => void): Promise<Tally> {
  const agent = new Agent({ keepAlive: true })
  await saturate(url, agent, 1) // warm
  const capacity = await saturate(url, agent, Math.min(10, seconds / 4))
  const atCapacity = await offer({ url, agent, line: busy, rate: capacity, seconds: Math.min(20, seconds / 2) })
  await sleep(1000)
  const isOver = new AbortController()
  const health = watchHealth(url, isOver.signal)
  const hanging = offer({ url, agent, line: hang, rate: 20, seconds })
  hanging.catch(() => {})
  const over = await offer({ url, agent, line: busy, rate: 4 * capacity, seconds })
  await sleep(2000)
  const after = await offer({ url, agent, line: busy, rate: capacity / 2, seconds: 3 })
  isOver.abort()
  agent.destroy()
  const [p99, p99Over, p99After] = [atCapacity, over, after].map(({ times }) => percentile(times, 0.99)) as [
    number,
    number,
    number,
  ]
  const goodput = over.times.length / seconds
  say(
    `capacity ${capacity.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms (${atCapacity.refused} refused); at 4 ×: ${goodput.toFixed(0)}/s, p99 ${p99Over.toFixed(0)} ms, ${over.refused} refused; afterwards p99 ${p99After.toFixed(0)} ms, ${after.refused} refused`,
  )
  return {
    maxLost: Math.max(0, Math.round(1000 - (1000 * goodput) / capacity)),
    maxP99Ratio: Math.round((100 * p99Over) / p99),
    maxLateRefused: after.refused,
    maxLateRatio: Math.round((100 * p99After) / p99),
    maxUnhealthy: await health,
    shed: over.refused,
    maxCapacity: Math.round(capacity),
    maxP99AtCapacity: Math.round(p99),
    maxP99: Math.round(p99Over),
  }
}

/** Calls a second that it answers if each of a few clients sends the next when it has the answer. */
async function saturate(url: string, agent: Agent, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000
  let answered = 0
  const clients = Array.from({ length: 4 }, async () => {
    while (performance.now() < end) {
      await send(url, busy, { agent })
      answered += 1
    }
  })
  await Promise.all(clients)
  return answered / seconds
}

interface Offer {
  readonly url: string
  readonly agent: Agent
  readonly line: string
  /** Calls a second, evenly, however many are still unanswered. */
  readonly rate: number
  readonly seconds: number
}

/** @returns of the served calls the milliseconds since they were due */
async function offer({ url, agent, line, rate, seconds }: Offer) {
  const times: number[] = []
  let refused = 0
  const begun = performance.now()
  const calls: Promise<void>[] = []
  const call = async (due: number) => {
    const { status } = await send(url, line, { agent })
    if (status === 200) times.push(performance.now() - due)
    else refused += 1
  }
  for (let sent = 0; performance.now() - begun < seconds * 1000; ) {
    for (; begun + (sent * 1000) / rate <= performance.now(); sent += 1)
      calls.push(call(begun + (sent * 1000) / rate).catch(() => void (refused += 1)))
    await sleep(1)
  }
  if (line === hang) return { times, refused }
  await Promise.all(calls)
  return { times, refused }
}

/** @returns how many failed */
async function watchHealth(url: string, signal: AbortSignal): Promise<number> {
  let failed = 0
  while (!signal.aborted) {
    const { status } = await send(url, 'GET /healthz').catch(() => ({ status: 0 }))
    if (status !== 200) failed += 1
    await sleep(200)
  }
  return failed
}

function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
