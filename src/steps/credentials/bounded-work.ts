/**
 * Runs a few pieces of work at a time, with a bounded queue: a flood of wrong passwords must neither use up memory
 * nor all threads of the gateway, nor delay others (specification 3.8, 4.11).
 */
import { Refusal } from '../../model/refusal.ts'
import { type Presence, present } from './presence.ts'

export interface BoundedWorkOptions {
  readonly concurrency: number
  readonly maxWaiting: number
  /** The reason for refusing further work. */
  readonly full: string
}

/**
 * @param rank the current rank; lower ones go first
 * @param presence of the client: once it has disconnected, the work is not begun
 */
export type BoundedWork = <Result>(
  rank: () => number,
  work: () => Promise<Result>,
  presence?: () => Presence,
) => Promise<Result>

const agedTurn = 2

interface Waiting {
  rank(): number
  presence(): Presence
  begin(): void
  refuse(error: Refusal): void
}

/**
 * The lowest rank goes first, among equals the newest: in a flood a newcomer does not wait for all others. Every second turn
 * goes to the work that has waited longest, so none waits forever. Half-closed clients go when no other waits, because most of them
 * have disconnected. A full queue drops disconnected clients, then a half-closed one, then the work that would go last.
 * @throws (the work it returns) Refusal `overloaded`
 */
export function openBoundedWork({ concurrency, maxWaiting, full }: BoundedWorkOptions): BoundedWork {
  const waiting = new Set<Waiting>() // in order of arrival
  let running = 0
  let turns = 0

  const refuse = (one: Waiting | undefined, error: Refusal) => {
    if (one && waiting.delete(one)) one.refuse(error)
  }
  const dropLeft = () => {
    for (const each of waiting) if (each.presence() === 'left') refuse(each, left())
  }
  const takeNext = (): Waiting | undefined => {
    dropLeft()
    turns += 1
    const those = present(waiting)
    const ranks = those.map((one) => one.rank())
    const next = those[turns % agedTurn === 0 ? 0 : ranks.lastIndexOf(Math.min(...ranks))]
    if (next) waiting.delete(next)
    return next
  }
  const makeRoom = () => {
    if (waiting.size > maxWaiting) dropLeft()
    if (waiting.size <= maxWaiting) return
    const all = [...waiting]
    const ranks = all.map((one) => one.rank())
    const halfClosed = all.find((one) => one.presence() === 'halfClosed')
    refuse(halfClosed ?? all[ranks.indexOf(Math.max(...ranks))], new Refusal('overloaded', full))
  }
  const enter = (rank: () => number, presence: () => Presence) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.add({ rank, presence, begin: resolve, refuse: reject })
    makeRoom()
    return promise
  }

  return async (rank, work, presence = () => 'present') => {
    if (presence() === 'left') throw left()
    if (running < concurrency) running++
    else await enter(rank, presence) // the finished work passes its slot on
    try {
      if (presence() === 'left') throw left()
      return await work()
    } finally {
      const next = takeNext()
      if (next) next.begin()
      else running--
    }
  }
}

function left(): Refusal {
  return new Refusal('overloaded', 'The client left before its turn.', { isByCaller: true })
}
