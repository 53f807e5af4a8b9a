/** One row: the gateway against one other server that does the same work, in turn, on the same core. */
import type { Issuer } from './issuer.ts'
import type { OpenPeer, Peer } from './peers.ts'
import { type Contender, type Duel, duel, type Options, requireSame, type Side, type Spread } from './rounds.ts'
import { startGateway } from './servers.ts'
import { exchange, type Request } from './wire.ts'

/** What rows are measured with. */
export interface Bench {
  readonly options: Options
  readonly issuer: Issuer
  /** More than the gateway remembers, so that in turn none is ever known. */
  tokens(): Promise<readonly string[]>
}

export interface Row {
  readonly name: string
  readonly work: string
  readonly against: string
  readonly needs: readonly Peer[]
  readonly targets: readonly Target[]
  measure(bench: Bench): Promise<Outcome>
}

/** Of one figure; without a bound it is reported only. */
export interface Target {
  readonly figure: string
  readonly unit?: string
  readonly atLeast?: number
  readonly atMost?: number
}

export interface Outcome {
  readonly figures: Readonly<Record<string, Spread>>
  /** What a reader would ask next, in a line. */
  readonly detail: string
  readonly sides?: Duel
}

export interface Versus {
  readonly project?: string
  readonly requests: (bench: Bench) => readonly Request[] | Promise<readonly Request[]>
  /** The other server; or, of the same gateway, other requests. */
  readonly peer: ((bench: Bench) => OpenPeer) | { readonly requests: readonly Request[] }
  /** Seconds. */
  readonly warmUp?: number
}

export function versus(row: Versus): Row['measure'] {
  return (bench) =>
    withBoth(row, bench, async (ours, theirs) => {
      const measured = await duel(ours, theirs, bench.options, row.warmUp)
      return { figures: { 'req/s': measured.ratio }, detail: formatDuel(measured), sides: measured }
    })
}

/** Both servers, checked to answer alike, before and after. */
export async function withBoth<Result>(
  { project, requests, peer }: Versus,
  bench: Bench,
  work: (ours: Contender, theirs: Contender) => Promise<Result>,
): Promise<Result> {
  const { profile } = bench.options
  await using opened = new AsyncDisposableStack()
  const gateway = await startGateway({
    ...(project && { project }),
    jwksUrl: project ? undefined : bench.issuer.jwksUrl,
    isPinned: true,
    profile,
  })
  opened.defer(gateway.stop)
  const ours = { server: gateway, requests: await requests(bench) }
  if (typeof peer !== 'function') return await work(ours, { server: gateway, requests: peer.requests })

  const [request] = ours.requests as [Request]
  await exchange(gateway.port, request) // the second answer may come from the cache
  const reply = await exchange(gateway.port, request)
  const server = await peer(bench)(reply, request)
  opened.defer(server.stop)
  const theirs = { server, requests: ours.requests }
  await requireSame(ours, theirs)
  const result = await work(ours, theirs)
  await requireSame(ours, theirs)
  return result
}

export function formatDuel({ ours, theirs, costRatio }: Duel): string {
  const both = (pick: (side: Side) => number, digits: number) =>
    `${pick(ours).toFixed(digits)} and ${pick(theirs).toFixed(digits)}`
  const thousands = `${thousand(ours.perSecond)} and ${thousand(theirs.perSecond)} req/s`
  const cost = costRatio ? `, CPU ${both(({ cost = 0 }) => cost, 1)} µs (${costRatio.median.toFixed(2)})` : ''
  return `${thousands}, p99 ${both(({ p99 }) => p99, 2)} ms${cost}`
}

function thousand(perSecond: number): string {
  return `${(perSecond / 1000).toFixed(1)}k`
}
