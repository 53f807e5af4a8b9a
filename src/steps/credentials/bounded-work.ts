/**
 * Work that is done a few at a time, with a queue of bounded length: a flood of wrong passwords must neither eat memory
 * nor take all threads from the rest of the gateway, nor make others wait (specification 3.8, 4.11).
 */
import { Refusal } from '../../model/refusal.ts'

export interface BoundedWorkOptions {
  readonly concurrency: number
  readonly maxWaiting: number
  /** Why one more is refused. */
  readonly full: string
}

/**
 * @param rank lower ones go first
 * @param isLeft whether the result is of no use any more: then the work is not begun
 */
export type BoundedWork = <Result>(rank: number, work: () => Promise<Result>, isLeft?: () => boolean) => Promise<Result>

const agedTurn = 2

interface Waiting {
  readonly rank: number
  isLeft(): boolean
  begin(): void
  refuse(error: Refusal): void
}

/**
 * Of the waiting, the lowest rank goes first, and of these the last that came: in a flood a newcomer does not wait for all of it.
 * Every second turn is of the one that has waited longest, so that none waits for ever. Of a full queue those go that have left, then
 * the one that would go last.
 * @throws (the work it returns) Refusal `overloaded`
 */
export function openBoundedWork({ concurrency, maxWaiting, full }: BoundedWorkOptions): BoundedWork {
  let waiting: Waiting[] = [] // as they came
  let running = 0
  let turns = 0

  const dropLeft = () => {
    for (const each of waiting) if (each.isLeft()) each.refuse(left())
    waiting = waiting.filter((each) => !each.isLeft())
  }
  const take = (rank: number, from: 'findIndex' | 'findLastIndex'): Waiting | undefined =>
    waiting.splice(
      waiting[from]((each) => each.rank === rank),
      1,
    )[0]
  const takeNext = (): Waiting | undefined => {
    dropLeft()
    turns += 1
    if (waiting.length === 0 || turns % agedTurn === 0) return waiting.shift()
    return take(Math.min(...waiting.map(({ rank }) => rank)), 'findLastIndex')
  }
  const enter = (rank: number, isLeft: () => boolean) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ rank, isLeft, begin: resolve, refuse: reject })
    if (waiting.length > maxWaiting) dropLeft()
    if (waiting.length > maxWaiting)
      take(Math.max(...waiting.map((each) => each.rank)), 'findIndex')?.refuse(new Refusal('overloaded', full))
    return promise
  }

  return async (rank, work, isLeft = () => false) => {
    if (running < concurrency) running++
    else await enter(rank, isLeft) // the one before hands its place over
    try {
      if (isLeft()) throw left()
      return await work()
    } finally {
      const next = takeNext()
      if (next) next.begin()
      else running--
    }
  }
}

function left(): Refusal {
  return new Refusal('overloaded', 'The client left before its turn.')
}
