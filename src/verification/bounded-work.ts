/**
 * Runs a few pieces of work at a time, and lets a bounded number wait in the order of their arrival: a flood of wrong
 * passwords must neither use up memory nor all threads of the gateway (specification 3.24, 4.11).
 */
import { networkOf } from '../base/network.ts'
import { Refusal } from '../model/refusal.ts'

export interface BoundedWorkOptions {
  readonly concurrency: number
  /** Clients of one network may have a quarter of them. */
  readonly maxWaiting: number
  /** The reason for refusing further work. */
  readonly full: string
}

export interface WaitingClient {
  readonly address: string
  /** It has disconnected: its work is not begun. */
  hasLeft(): boolean
}

export type BoundedWork = <Result>(work: () => Promise<Result>, client?: WaitingClient) => Promise<Result>

/** @throws (the work it returns) Refusal `overloaded` */
export function openBoundedWork({ concurrency, maxWaiting, full }: BoundedWorkOptions): BoundedWork {
  const waiting: { readonly network: string | undefined; begin(): void }[] = []
  const maxOfNetwork = Math.ceil(maxWaiting / 4)
  let running = 0

  const waitForTurn = (network: string | undefined) => {
    const ofNetwork = network === undefined ? 0 : waiting.filter((each) => each.network === network).length
    if (waiting.length >= maxWaiting || ofNetwork >= maxOfNetwork) throw new Refusal('overloaded', full)
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ network, begin: resolve })
    return promise
  }

  return async (work, client) => {
    if (running < concurrency) running += 1
    else await waitForTurn(client && networkOf(client.address)) // the finished work passes its slot on
    try {
      if (client?.hasLeft()) throw new Refusal('overloaded', 'The client left before its turn.', { isByCaller: true })
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next.begin()
      else running -= 1
    }
  }
}
