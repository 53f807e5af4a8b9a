/** Two servers driven in turn on the same core, so that whatever else the machine does meets both. */
import { readdirSync, readFileSync } from 'node:fs'
import { type Client, drive, type LoadResult } from './drive.ts'
import type { Server } from './servers.ts'
import { exchange, findDifference, type Request } from './wire.ts'

export interface Options {
  readonly client: Client
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  /** Of changes to a cluster. */
  readonly trials: number
  /** Where a CPU profile of the gateway is written. */
  readonly profile?: string | undefined
}

export interface Contender {
  readonly server: Server
  readonly requests: readonly Request[]
}

export interface Side extends LoadResult {
  /** Microseconds of processor time for each answer; undefined where the system does not tell. */
  readonly cost: number | undefined
}

export interface Duel {
  readonly ours: Side
  readonly theirs: Side
  /** Of requests per second, ours to theirs. */
  readonly ratio: Spread
  /** The same of processor time, theirs to ours: what `ratio` would be if nothing else ran on the machine. */
  readonly costRatio: Spread | undefined
}

/** The median of the rounds, the least and the most. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** @throws Error where the two do not answer alike, byte for byte but for what each call makes anew */
export async function requireSame(ours: Contender, theirs: Contender): Promise<void> {
  const request = (contender: Contender) => contender.requests[0] as Request
  const expected = await exchange(ours.server.port, request(ours))
  const found = await exchange(theirs.server.port, request(theirs))
  const difference = findDifference(expected, found)
  if (difference !== undefined) throw new Error(`the two do not answer alike:\n${difference}`)
}

/** @param warmUp seconds each; a compiler has done its work after some ten thousand calls */
export async function duel(ours: Contender, theirs: Contender, options: Options, warmUp = 6): Promise<Duel> {
  for (const contender of [ours, theirs])
    await drive(options.client, { ...loadOf(contender, options), seconds: warmUp })
  const pairs: { ours: Side; theirs: Side }[] = []
  while (pairs.length < options.rounds) {
    pairs.push({ ours: await measure(ours, options), theirs: await measure(theirs, options) })
  }
  const costs = pairs.flatMap(({ ours, theirs }) => (ours.cost && theirs.cost ? [theirs.cost / ours.cost] : []))
  return {
    ours: middle(pairs.map((pair) => pair.ours)),
    theirs: middle(pairs.map((pair) => pair.theirs)),
    ratio: spread(pairs.map((pair) => pair.ours.perSecond / pair.theirs.perSecond)),
    costRatio: costs.length > 0 ? spread(costs) : undefined,
  }
}

function loadOf({ server, requests }: Contender, { connections, seconds }: Options) {
  return { port: server.port, requests, connections, seconds }
}

export async function measure(contender: Contender, options: Options): Promise<Side> {
  const { pid } = contender.server
  const before = processorTime(pid)
  const measured = await drive(options.client, loadOf(contender, options))
  const after = processorTime(pid)
  const cost = before === undefined || after === undefined ? undefined : (after - before) / measured.answers
  return { ...measured, cost }
}

/** Microseconds that a process and its children have had of any core. Linux counts in hundredths of a second. */
export function processorTime(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    const own = (Number(fields[11]) + Number(fields[12])) * 10_000
    return childrenOf(pid).reduce((sum, child) => sum + (processorTime(child) ?? 0), own)
  } catch {
    return undefined // another system than Linux
  }
}

function childrenOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).map((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'),
  )
  return children.join(' ').split(' ').filter(Boolean).map(Number)
}

function middle(sides: readonly Side[]): Side {
  const of = (pick: (side: Side) => number) => spread(sides.map(pick)).median
  const costs = sides.flatMap(({ cost }) => cost ?? [])
  return {
    answers: of(({ answers }) => answers),
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cost: costs.length > 0 ? spread(costs).median : undefined,
  }
}

export function spread(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? 0
  const half = (sorted.length - 1) / 2
  return { median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2, least: at(0), most: at(sorted.length - 1) }
}
