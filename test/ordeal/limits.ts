/** A limit holds for all processes of a cluster together, wherever the calls go (specification 25.7). */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../support/client.ts'
import { connector, openProject } from './instance.ts'
import type { Ordeal, Tally } from './ordeal.ts'

const limit = { calls: 100, seconds: 1 }
const seconds = 10
const offered = 4 * (limit.calls / limit.seconds)

const files = {
  'gateway.config.ts': `
export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'ORDEAL' }],
  operations: [{ service: 'ORDEAL', name: 'READ', method: 'GET', uriTemplates: ['/'], handler: 'handlers/ordeal.ts#Read' }],
  permissionLists: [{ name: 'ALL', services: ['ORDEAL'] }],
  limits: [{ name: 'operator', by: ['operator'], calls: ${limit.calls}, per: '${limit.seconds}s' }],
}`,
}

export const limits: Ordeal = {
  name: 'limits',
  title: `three instances with two workers, a limit of ${limit.calls} calls a second, four times as many on one connection or spread`,
  figure: `0.9 to 1.1 of the limit is accepted in every ${seconds} s`,
  trials: 6,
  async open({ say }) {
    const project = await openProject('PostgreSQL', undefined, files)
    const instances = await Promise.all([1, 2, 3].map(() => project.start()))
    await Promise.all(instances.map((instance) => instance.until(/"event":"started","worker":2,/)))
    const urls = instances.map(({ url }) => url)
    return {
      async trial(index) {
        await sleep(1000) // what the last trial spent is free again
        const isSpread = index % 2 === 1
        const { accepted, refused, late, failed } = isSpread ? await callAll(urls) : await callOne(urls[0] ?? '')
        say(
          `${isSpread ? 'spread' : 'one connection'}: ${accepted} accepted, ${refused} refused, ${late} late, ${failed} failed`,
        )
        const allowed = (limit.calls / limit.seconds) * seconds
        const least = (accepted + late) / allowed // a busy machine, not the limit, is why those were late
        return {
          maxOver: Math.round((accepted / allowed) * 1000),
          maxUnder: Math.round(1000 / least),
          accepted,
          late,
        }
      },
      close: () => project.close(),
    }
  },
  judge({ maxOver = 0, maxUnder = 0 }: Tally) {
    const faults: string[] = []
    if (maxOver > 1100) faults.push(`${maxOver / 1000} of the limit was accepted`)
    if (maxUnder > 1000 / 0.9) faults.push(`${(1000 / maxUnder).toFixed(3)} of the limit was accepted`)
    return faults
  },
}

const line = `GET ${connector}/READ.v1`

/** One after the other: the process of the connection gets them all. */
async function callOne(url: string): Promise<OfferResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const offered = await offer(() => send(url, line, { agent }))
  agent.destroy()
  return offered
}

/** Each on a connection of its own, so that the system chooses the process. */
function callAll(urls: readonly string[]): Promise<OfferResult> {
  let at = 0
  return offer(() => send(urls[at++ % urls.length] ?? '', line, { agent: new Agent() }))
}

interface OfferResult {
  readonly accepted: number
  readonly refused: number
  /** Answered after these seconds. */
  readonly late: number
  readonly failed: number
}

/** Evenly, however long the responses take. */
async function offer(call: () => Promise<{ readonly status: number }>): Promise<OfferResult> {
  const begun = performance.now()
  const calls: Promise<keyof OfferResult>[] = []
  const judge = ({ status }: { readonly status: number }) =>
    performance.now() - begun > seconds * 1000 ? 'late' : status === 200 ? 'accepted' : 'refused'
  for (let sent = 0; performance.now() - begun < seconds * 1000; ) {
    const due = ((performance.now() - begun) / 1000) * offered
    for (; sent < due; sent += 1) calls.push(call().then(judge, () => 'failed'))
    await sleep(2)
  }
  const counts = { accepted: 0, refused: 0, late: 0, failed: 0 }
  for (const outcome of await Promise.all(calls)) counts[outcome] += 1
  return counts
}
