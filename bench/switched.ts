/** The gateway against itself with a setting changed: what a part of it costs a call. */
import { duel, type Spread } from './rounds.ts'
import { startGateway } from './servers.ts'
import { type Bench, formatDuel, type Row } from './versus.ts'
import type { Request } from './wire.ts'

export interface SwitchOptions {
  readonly requests: (bench: Bench) => readonly Request[] | Promise<readonly Request[]>
  /** Of the one that it is compared with, by the names of their variables. */
  readonly against: Readonly<Record<string, string>>
}

export function switched({ requests, against }: SwitchOptions): Row['measure'] {
  return async (bench) => {
    await using opened = new AsyncDisposableStack()
    const { jwksUrl } = bench.issuer
    const open = async (environment: Readonly<Record<string, string>>) => {
      const server = await startGateway({ jwksUrl, isPinned: true, environment })
      opened.defer(server.stop)
      return { server, requests: await requests(bench) }
    }
    const measured = await duel(await open({}), await open(against), bench.options)
    const cost: Readonly<Record<string, Spread>> = measured.costRatio ? { CPU: measured.costRatio } : {}
    return { figures: { 'req/s': measured.ratio, ...cost }, detail: formatDuel(measured), sides: measured }
  }
}
