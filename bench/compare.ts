/** One row: the gateway and bare, driven in turn on the same core, so that whatever else the machine does meets both. */
import { type Client, drive, type Measured } from './drive.ts'
import type { Row } from './rows.ts'
import { ask, type GatewayServer, startBare } from './servers.ts'

export interface Rounds {
  readonly client: Client
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

export interface Comparison {
  readonly name: string
  readonly gateway: Measured
  readonly bare: Measured
  /** Of requests per second, gateway to bare: the median of the rounds, the least and the most. */
  readonly ratio: number
  readonly least: number
  readonly most: number
}

export async function compare(row: Row, gateway: GatewayServer, options: Rounds): Promise<Comparison> {
  const { client, rounds, seconds, connections } = options
  const request = row.request(gateway.token)
  const answer = await ask(gateway.port, request)
  if (!answer.body.includes(row.expected)) throw new Error(`${row.name} answered ${answer.status}\n${answer.body}`)
  const bare = await startBare(answer)
  try {
    const load = (port: number) => drive(client, { port, request, status: answer.status, connections, seconds })
    for (const port of [gateway.port, bare.port]) await load(port) // warm-up
    const pairs: { gateway: Measured; bare: Measured }[] = []
    while (pairs.length < rounds) pairs.push({ gateway: await load(gateway.port), bare: await load(bare.port) })
    const after = await ask(gateway.port, request)
    if (!after.body.includes(row.expected)) throw new Error(`${row.name} answered ${after.status} in the end`)
    const ratios = pairs.map((pair) => pair.gateway.perSecond / pair.bare.perSecond)
    return {
      name: row.name,
      gateway: middle(pairs.map((pair) => pair.gateway)),
      bare: middle(pairs.map((pair) => pair.bare)),
      ratio: median(ratios),
      least: Math.min(...ratios),
      most: Math.max(...ratios),
    }
  } finally {
    await bare.stop()
  }
}

function middle(measured: readonly Measured[]): Measured {
  return {
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    p50: median(measured.map(({ p50 }) => p50)),
    p99: median(measured.map(({ p99 }) => p99)),
    ...(measured[0]?.clientBusy === undefined
      ? {}
      : { clientBusy: median(measured.map(({ clientBusy = 0 }) => clientBusy)) }),
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [below = 0, above = 0] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 ? above : (below + above) / 2
}
