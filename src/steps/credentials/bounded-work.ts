/**
 * Work that is done a few at a time, with a queue of bounded length: a flood of wrong passwords must neither eat memory
 * nor take all threads from the rest of the gateway, nor make others wait (specification 3.8, 4.11).
 */
import { Refusal } from '../../model/refusal.ts'

export interface BoundedWorkOptions {
  readonly concurrency: number
  readonly maxWaiting: number
}

/** @param rank lower ones go first */
export type BoundedWork = <Result>(rank: number, work: () => Promise<Result>) => Promise<Result>

const agedTurn = 4

interface Waiting {
  readonly rank: number
  begin(): void
  refuse(error: Refusal): void
}

/**
 * Of the waiting, the lowest rank goes first, and of these the last that came: in a flood a newcomer does not wait for all of it.
 * Every fourth turn is of the one that has waited longest, so that none waits for ever. Of a full queue the one is refused that
 * would go last.
 * @throws (the work it returns) Refusal `overloaded`
 */
export function openBoundedWork({ concurrency, maxWaiting }: BoundedWorkOptions): BoundedWork {
  const waiting: Waiting[] = [] // as they came
  let running = 0
  let turns = 0

  const takeNext = (): Waiting | undefined => {
    turns += 1
    if (turns % agedTurn === 0) return waiting.shift()
    const lowest = Math.min(...waiting.map(({ rank }) => rank))
    const index = waiting.findLastIndex(({ rank }) => rank === lowest)
    return index < 0 ? undefined : waiting.splice(index, 1)[0]
  }
  const enter = (rank: number) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ rank, begin: resolve, refuse: reject })
    if (waiting.length > maxWaiting) {
      const highest = Math.max(...waiting.map((each) => each.rank))
      const [last] = waiting.splice(
        waiting.findIndex((each) => each.rank === highest),
        1,
      )
      last?.refuse(new Refusal('overloaded', 'Too many passwords are waiting to be verified.'))
    }
    return promise
  }

  return async (rank, work) => {
    if (running < concurrency) running++
    else await enter(rank) // the one before hands its place over
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next.begin()
      else running--
    }
  }
}
