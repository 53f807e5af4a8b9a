/** One row: the gateway and bare, driven in turn on the same core, so that whatever else the machine does meets both. */
import { readFileSync } from 'node:fs'
import { type Client, drive, type Measured } from './drive.ts'
import type { Request, Row } from './rows.ts'
import { ask, type GatewayServer, type Server, startBare } from './servers.ts'

export interface Rounds {
  readonly client: Client
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

export interface Side extends Measured {
  /** Microseconds of processor time of the server's process for each answer; undefined where the system does not tell. */
  readonly cost: number | undefined
}

export interface Comparison {
  readonly name: string
  readonly gateway: Side
  readonly bare: Side
  /** Of requests per second, gateway to bare: the median of the rounds, the least and the most. */
  readonly ratio: Spread
  /** The same of processor time, bare to gateway: what `ratio` would be if nothing else ran on the machine. */
  readonly costRatio: Spread | undefined
}

export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export async function compare(row: Row, gateway: GatewayServer, options: Rounds): Promise<Comparison> {
  const { rounds } = options
  const request = row.request(gateway.token)
  const answer = await ask(gateway.port, request)
  if (!answer.body.includes(row.expected)) throw new Error(`${row.name} answered ${answer.status}\n${answer.body}`)
  const bare = await startBare(answer)
  try {
    const measure = (server: Server) => driveServer(server, request, answer.status, options)
    for (const server of [gateway, bare]) await warmUp(() => measure(server))
    const pairs: { gateway: Side; bare: Side }[] = []
    while (pairs.length < rounds) pairs.push({ gateway: await measure(gateway), bare: await measure(bare) })
    const after = await ask(gateway.port, request)
    if (!after.body.includes(row.expected)) throw new Error(`${row.name} answered ${after.status} in the end`)
    const costs = pairs.flatMap(({ gateway, bare }) => (gateway.cost && bare.cost ? [bare.cost / gateway.cost] : []))
    return {
      name: row.name,
      gateway: middle(pairs.map((pair) => pair.gateway)),
      bare: middle(pairs.map((pair) => pair.bare)),
      ratio: spread(pairs.map((pair) => pair.gateway.perSecond / pair.bare.perSecond)),
      costRatio: costs.length > 0 ? spread(costs) : undefined,
    }
  } finally {
    await bare.stop()
  }
}

/** The compiler has done its work after some ten thousand calls, however long they take; a slow row need not have them all. */
async function warmUp(measure: () => Promise<Side>): Promise<void> {
  let answers = 0
  for (let round = 0; round < 5 && answers < 50_000; round += 1) answers += (await measure()).answers
}

async function driveServer({ port, pid }: Server, request: Request, status: number, options: Rounds): Promise<Side> {
  const { client, seconds, connections } = options
  const before = processorTime(pid)
  const measured = await drive(client, { port, request, status, connections, seconds })
  const after = processorTime(pid)
  return {
    ...measured,
    cost: before === undefined || after === undefined ? undefined : (after - before) / measured.answers,
  }
}

/** Microseconds that a process has had of any core, all of its threads together. Linux counts in hundredths of a second. */
export function processorTime(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return undefined // another system than Linux
  }
}

function middle(sides: readonly Side[]): Side {
  const of = (pick: (side: Side) => number | undefined) => {
    const numbers = sides.map(pick).filter((number) => number !== undefined)
    return numbers.length > 0 ? spread(numbers).median : undefined
  }
  return {
    answers: of(({ answers }) => answers) ?? 0,
    perSecond: of(({ perSecond }) => perSecond) ?? 0,
    p50: of(({ p50 }) => p50) ?? 0,
    p99: of(({ p99 }) => p99) ?? 0,
    clientIdle: of(({ clientIdle }) => clientIdle),
    cost: of(({ cost }) => cost),
  }
}

function spread(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? 0
  const half = (sorted.length - 1) / 2
  return { median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2, least: at(0), most: at(sorted.length - 1) }
}
