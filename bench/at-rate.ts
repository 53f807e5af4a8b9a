/** p99 of the gateway at 70 % of its own peak, and of the other server at the same rate, in turn. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { drive, endTurn, inFolder, type Load, takeTurn } from './drive.ts'
import { pinned } from './pinned.ts'
import { type Contender, measure, spread } from './rounds.ts'
import { type Row, type Versus, withBoth } from './versus.ts'

export interface AtRate {
  readonly perSecond: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
}

const part = 0.7

export function atRate(row: Versus): Row['measure'] {
  return (bench) =>
    withBoth(row, bench, async (ours, theirs) => {
      const { client, connections, rounds } = bench.options
      for (const { server, requests } of [ours, theirs]) {
        await drive(client, { port: server.port, requests, connections, seconds: row.warmUp ?? 6 })
      }
      const peak = (await measure(ours, bench.options)).perSecond
      const rate = Math.floor(peak * part)
      const seconds = Math.max(3, bench.options.seconds)
      const run = ({ server, requests }: Contender) => fire({ port: server.port, requests, connections, seconds, rate })
      const pairs: { ours: AtRate; theirs: AtRate }[] = []
      while (pairs.length < rounds) pairs.push({ ours: await run(ours), theirs: await run(theirs) })
      const [our, their] = [pairs.map((pair) => pair.ours), pairs.map((pair) => pair.theirs)]
      const p99 = (sides: readonly AtRate[]) => spread(sides.map((side) => side.p99)).median.toFixed(2)
      const reached = (sides: readonly AtRate[]) => spread(sides.map(({ perSecond }) => perSecond)).median / rate
      const least = Math.min(reached(our), reached(their))
      const short = least < 0.95 ? `; only ${Math.round(least * 100)} % of it was reached` : ''
      return {
        figures: { p99: spread(pairs.map(({ ours, theirs }) => ours.p99 / theirs.p99)) },
        detail: `p99 ${p99(our)} and ${p99(their)} ms at ${(rate / 1000).toFixed(1)}k req/s${short}`,
      }
    })
}

/** At this rate, whatever the answers take. */
export function fire(load: Load & { readonly rate: number }): Promise<AtRate> {
  return inFolder(async (folder) => {
    const file = join(folder, 'load.json')
    writeFileSync(file, JSON.stringify(takeTurn(load)))
    const [program, ...args] = pinned(1, [process.execPath, join(import.meta.dirname, 'cannon.ts'), file])
    const { stdout } = await promisify(execFile)(program, args)
    const measured: AtRate = JSON.parse(stdout)
    endTurn(load.port, Math.ceil((measured.perSecond * load.seconds) / load.connections)) // each has its own part
    return measured
  })
}
